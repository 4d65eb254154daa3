//! The checks as Markdown: a table, the first problems of each check, and the simulations with charts.

use super::{CiFormat, CiReport, CiSimulation};
use crate::quantity::{Decimal, signed_percent};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, code, escape, folded};
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
    let numbers = ["transcripts", "expectations met", "largest context", "change", "tokens sent", "change"];
    let mut table =
        Table::new([("simulation", Align::Left)].into_iter().chain(numbers.map(|name| (name, Align::Right))));
    for one in all {
        let ([recorded_peak, peak], [recorded_tokens, tokens]) = (one.peak, one.tokens);
        let met = format!("{} of {}", whole(one.met), whole(one.expected));
        let peaks = change(recorded_peak.into(), peak.into());
        let cells = [whole(one.replays), met, count(peak), peaks, sum(tokens), change(recorded_tokens, tokens)];
        table.row([code(&one.name)].into_iter().chain(cells));
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

/// By how much a figure differs from the recorded one.
fn change(recorded: u128, policy: u128) -> String {
    let number = |tokens: u128| i128::try_from(tokens).map_or(Decimal::MAX, Decimal::from);
    let (recorded, policy) = (number(recorded), number(policy));
    let share = (policy - recorded).checked_div(recorded).filter(|_| recorded != policy);
    share.map(signed_percent).unwrap_or_default()
}
