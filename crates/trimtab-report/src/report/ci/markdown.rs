//! The checks as Markdown: a table, the first problems of each check, and the simulations with charts.

use super::{CiFormat, CiReport, CiSimulation};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, code, escape, folded};
use crate::report::number::whole;

/// The maximum number of simulations that are shown with charts.
const MAX_CHARTS: usize = 8;

pub(super) static FORMAT: CiFormat = CiFormat {
    name: "markdown",
    summary: "Tables, charts and the first problems, for a comment or a job summary",
    encoding: Encoding::Text,
    render,
};

fn render(all: &CiReport) -> String {
    let mut table = Table::new(["check", "result", "summary"].map(|name| (name, Align::Left)));
    for check in &all.checks {
        table.row([check.name, check.result(), &escape(&check.summary)]);
    }
    let mut out = format!("### Trimtab: {}\n\n{}", all.verdict(), table.text());
    for check in all.checks.iter().filter(|check| !check.problems.is_empty()) {
        out += &format!("\n**{}**\n\n", check.name);
        let (shown, left_out) = check.shown();
        for problem in shown {
            out += &format!("- {}{}\n", escape(&problem.prefix()), escape(&problem.text));
        }
        if let more @ 1.. = left_out {
            out += &format!("- and {more} more\n");
        }
    }
    out + &simulations(&all.simulations)
}

/// A table of the simulations, and the charts of the first ones.
fn simulations(all: &[CiSimulation]) -> String {
    let texts = [("simulation", Align::Left), ("verdict", Align::Left)];
    let numbers = ["transcripts", "expectations met", "cost", "change", "tokens sent", "change"];
    let mut table = Table::new(texts.into_iter().chain(numbers.map(|name| (name, Align::Right))));
    for one in all {
        let verdict = one.verdict();
        let met = format!("{} of {}", whole(one.met), whole(one.expected));
        let cells = [code(&one.name), escape(&verdict.outcome()), whole(one.replays), met];
        table.row(cells.into_iter().chain(["cost", "tokens sent"].into_iter().flat_map(|label| verdict.cells(label))));
    }
    let Some(mut out) = table.unless_empty().map(|table| format!("\n{table}")) else { return String::new() };
    for one in all.iter().take(MAX_CHARTS) {
        let charts = one.charts.markdown(&[code(&one.name)]);
        if !charts.is_empty() {
            out += &folded("Charts", &format!("{}\n\n{charts}", code(&one.name)));
        }
    }
    out
}
