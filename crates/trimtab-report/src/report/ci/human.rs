//! The checks for a terminal: one line per check, and its first problems.

use trimtab_base::source::sanitize;

use super::{CiCheck, CiFormat, CiReport};
use crate::report::wrap::fold_lines;
use crate::report::{Encoding, TerminalStyle};

pub(super) static FORMAT: CiFormat =
    CiFormat { name: "human", summary: "One line per check, and its first problems", encoding: Encoding::Text, render };

fn render(all: &CiReport) -> String {
    let style = all.style;
    let width = all.checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for check in &all.checks {
        let mark = mark(check, style);
        out += &format!("{mark} {:width$}  {}\n", check.name, check.summary);
        let (shown, left_out) = check.shown();
        for problem in shown {
            out += &style.wrap(&format!("{}{}", problem.prefix(), sanitize::one_line(&problem.text)), 4);
        }
        if let more @ 1.. = left_out {
            out += &format!("    and {more} more\n");
        }
    }
    for simulation in &all.simulations {
        let text = format!("{}: {}", simulation.name, simulation.verdict().short_sentence());
        out += &style.wrap(&sanitize::one_line(&text), 0);
    }
    fold_lines(&(out + &format!("{}\n", all.verdict())), style.width)
}

/// The mark before a check: passed, not run, or failed.
fn mark(check: &CiCheck, style: TerminalStyle) -> String {
    match (check.code(), check.is_skipped, style.unicode) {
        (0, false, true) => style.success("✓"),
        (0, true, true) => style.dim("–"),
        (_, _, true) => style.failure("✗"),
        (0, false, false) => "ok  ".to_owned(),
        (0, true, false) => "-   ".to_owned(),
        (_, _, false) => "FAIL".to_owned(),
    }
}
