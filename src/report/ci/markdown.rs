//! The checks as Markdown: a table, and the first problems of each check.

use super::{CiFormat, CiReport, MAX_SHOWN};
use crate::report::markdown::{Align, Table, escape};

pub(super) static FORMAT: CiFormat =
    CiFormat { name: "markdown", summary: "A table and the first problems, for a comment or a job summary", render };

fn render(all: &CiReport) -> String {
    let mut table = Table::new(["check", "result", "summary"].map(|name| (name, Align::Left)));
    for check in &all.checks {
        table.row([check.name, check.result(), &escape(&check.summary)]);
    }
    let mut out = format!("### Trimtab: {}\n\n{}", all.verdict(), table.text());
    for check in all.checks.iter().filter(|check| !check.problems.is_empty()) {
        out += &format!("\n**{}**\n\n", check.name);
        for problem in check.problems.iter().take(MAX_SHOWN) {
            out += &format!("- {}{}\n", escape(&problem.prefix()), escape(&problem.text));
        }
        if let more @ 1.. = check.problems.len().saturating_sub(MAX_SHOWN) {
            out += &format!("- and {more} more\n");
        }
    }
    out
}
