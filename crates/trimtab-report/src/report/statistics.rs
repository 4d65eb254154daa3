//! Findings counted by code.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::findings::{self, Findings};
use super::style::TerminalStyle;

/// The minimum width of a title beside the code; otherwise it is on its own line.
const MIN_WIDTH: usize = 22;

/// How often a code was found.
struct Count {
    code: &'static str,
    title: &'static str,
    number: usize,
    fixable: bool,
}

/// A line a code, the most frequent first.
pub fn statistics(all: &Findings<'_>) -> String {
    let counts = counts(all);
    let width = counts.iter().map(|count| count.code.len()).max().unwrap_or(0);
    let lines: String = counts.iter().map(|count| line(count, width, all.style)).collect();
    if lines.is_empty() { lines } else { format!("{lines}[*] has a fix\n") }
}

fn line(count: &Count, width: usize, style: TerminalStyle) -> String {
    let mark = if count.fixable { "*" } else { " " };
    let head = format!("{:>5}  [{mark}] {:width$}  ", count.number, count.code);
    if style.width < head.len() + MIN_WIDTH {
        return format!("{}\n{}", head.trim_end(), style.wrap(count.title, 11));
    }
    format!("{head}{}", style.wrap(count.title, head.len()).trim_start())
}

/// The same as one JSON object; `trimtab schema statistics` describes it.
pub fn statistics_json(all: &Findings<'_>) -> Json {
    let entry = |count: &Count| json!({ "code": count.code, "title": count.title, "count": count.number, "fixable": count.fixable });
    json!({
        "schema_version": 1,
        "statistics": counts(all).iter().map(entry).collect::<Vec<_>>(),
        "summary": findings::summary(all),
        "errors": findings::unread(all),
    })
}

fn counts(all: &Findings<'_>) -> Vec<Count> {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for finding in all.unsuppressed() {
        let (code, title) = (finding.code.id, finding.code.title);
        let count = counts.entry(code).or_insert(Count { code, title, number: 0, fixable: false });
        count.number += 1;
        count.fixable |= !finding.fixes.is_empty();
    }
    let mut counts: Vec<Count> = counts.into_values().collect();
    counts.sort_by_key(|count| (Reverse(count.number), count.code));
    counts
}
