//! Findings counted by code.

use super::encoding::pretty;
use super::findings::Findings;
use super::result::{CodeCount, CodeStatistics};
use super::style::TerminalStyle;

/// The minimum width of a title beside the code; otherwise it is on its own line.
const MIN_WIDTH: usize = 22;

/// A line a code, the most frequent first.
pub fn statistics(all: &Findings<'_>) -> String {
    let counts = CodeCount::all(all);
    let width = counts.iter().map(|count| count.code.len()).max().unwrap_or(0);
    let lines: String = counts.iter().map(|count| line(count, width, all.style)).collect();
    if lines.is_empty() { lines } else { format!("{lines}[*] has a fix\n") }
}

fn line(count: &CodeCount, width: usize, style: TerminalStyle) -> String {
    let mark = if count.fixable { "*" } else { " " };
    let head = format!("{:>5}  [{mark}] {:width$}  ", count.count, count.code);
    if style.width < head.len() + MIN_WIDTH {
        return format!("{}\n{}", head.trim_end(), style.wrap(&count.title, 11));
    }
    format!("{head}{}", style.wrap(&count.title, head.len()).trim_start())
}

/// The same as one JSON object; `trimtab schema statistics` describes it.
pub fn statistics_json(all: &Findings<'_>) -> String {
    pretty(&CodeStatistics::from(all))
}
