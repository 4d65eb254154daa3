//! The checks as Markdown: a table, the first problems of each check, and the simulations with charts.

use super::{CiFormat, CiReport, CiSimulation, MAX_SHOWN};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, code, escape};
use crate::report::number::{count, sum, whole};

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
        for problem in check.problems.iter().take(MAX_SHOWN) {
            out += &format!("- {}{}\n", escape(&problem.prefix()), escape(&problem.text));
        }
        if let more @ 1.. = check.problems.len().saturating_sub(MAX_SHOWN) {
            out += &format!("- and {more} more\n");
        }
    }
    out + &simulations(&all.simulations)
}

/// A table of the simulations, and the charts of the first ones.
fn simulations(all: &[CiSimulation]) -> String {
    let numbers = ["transcripts", "expectations met", "largest context", "as recorded", "tokens sent", "as recorded"];
    let mut table =
        Table::new([("simulation", Align::Left)].into_iter().chain(numbers.map(|name| (name, Align::Right))));
    for one in all {
        let ([recorded_peak, peak], [recorded_tokens, tokens]) = (one.peak, one.tokens);
        let met = format!("{} of {}", whole(one.met), whole(one.expected));
        let cells = [whole(one.replays), met, count(peak), count(recorded_peak), sum(tokens), sum(recorded_tokens)];
        table.row([code(&one.name)].into_iter().chain(cells));
    }
    let Some(mut out) = table.unless_empty().map(|table| format!("\n{table}")) else { return String::new() };
    for one in all.iter().take(MAX_CHARTS) {
        let charts = one.charts.markdown(&[code(&one.name)]);
        if !charts.is_empty() {
            out += &format!("\n{charts}");
        }
    }
    out
}
