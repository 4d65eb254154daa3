//! Replays as Markdown: for one policy its rules and transcripts, for several a column each.

use trimtab_base::quantity::Decimal;

use super::comparison::{self, Columns};
use super::{PolicyReplays, ReplayFormat, Replays};
use crate::report::Encoding;
use crate::report::amount::{dollars, signed_dollars};
use crate::report::markdown::{Align, Table, code, escape};
use crate::report::number::{count, signed, whole};
use crate::report::result::{Amount, RuleFigures, TotalResult, TotalRule};
use crate::report::simulation::{OPEN_LOOP_NOTICE, price_notes, verdict};

pub(super) static FORMAT: ReplayFormat = ReplayFormat {
    name: "markdown",
    summary: "Tables, for a pull request comment",
    encoding: Encoding::Text,
    render: Some(render),
    stream: None,
};

/// Most transcripts that are listed.
const MAX_LISTED: usize = 200;

/// A figure of a rule: the heading of its column, and its cell.
type Figure = (&'static str, fn(&RuleFigures) -> String);

static FIGURES: &[Figure] = &[
    ("due", |rule| count(rule.due)),
    ("fired", |rule| count(rule.fired)),
    ("edits", |rule| count(rule.edits)),
    ("tokens saved", |rule| signed(rule.tokens_saved.into())),
    ("cost saved", |rule| cost(rule.cost_saved, signed_dollars)),
    ("cost caused", |rule| cost(rule.cost_caused, dollars)),
    ("cache breaks", |rule| count(rule.cache_breaks)),
    ("repeated tool calls", |rule| count(rule.repeated_calls)),
    ("quoting tool calls", |rule| count(rule.quotes)),
];

fn render(all: &Replays<'_>) -> String {
    let names: Vec<String> = all.names().iter().map(|name| code(name)).collect();
    let mut out = format!("### Simulation of {}\n\n", names.join(", "));
    if let [policy] = all.policies {
        out += &format!("{}\n", verdict(policy.plan, policy.replays, all.errors.len()).markdown());
    }
    out += &table(&comparison::totals(all), escape);
    if let [policy] = all.policies {
        out += &format!("\n{}", rules(policy));
    }
    let (listed, rest) = comparison::transcripts(all, all.top.unwrap_or(MAX_LISTED));
    out += &format!("\n{}", table(&listed, code));
    if rest > 0 && all.top.is_some() {
        out += &format!("\nand {} more, which change less\n", whole(rest));
    } else if rest > 0 {
        out += &format!("\nand {} more; `--format csv` lists them all\n", whole(rest));
    }
    if !all.errors.is_empty() {
        let each = all.errors.iter().map(|error| format!("- {}: {}\n", escape(&error.file), escape(&error.message)));
        out += &format!("\nNot replayed:\n\n{}", each.collect::<String>());
    }
    let notes = all.policies.first().map_or_else(Vec::new, |policy| price_notes(policy.replays));
    let notes: String = notes.iter().map(|note| format!("\n{}\n", escape(note))).collect();
    let stops = comparison::stop_note(all).map(|note| format!("\n{note}\n")).unwrap_or_default();
    out + &format!("\n{OPEN_LOOP_NOTICE}\n{stops}{notes}")
}

/// A table whose columns after the second are policies.
fn table(columns: &Columns, name: fn(&str) -> String) -> String {
    let head: Vec<String> =
        columns.head.iter().enumerate().map(|(at, cell)| if at < 2 { escape(cell) } else { code(cell) }).collect();
    let align = |at: usize| if at == 0 { Align::Left } else { Align::Right };
    let mut table = Table::new(head.iter().enumerate().map(|(at, cell)| (cell.as_str(), align(at))));
    for row in &columns.rows {
        table.row(row.iter().enumerate().map(|(at, cell)| if at == 0 { name(cell) } else { escape(cell) }));
    }
    table.text()
}

/// What each rule did, over all transcripts.
fn rules(policy: &PolicyReplays<'_>) -> String {
    let numbers = FIGURES.iter().map(|(name, _)| (*name, Align::Right));
    let mut table = Table::new([("rule", Align::Left)].into_iter().chain(numbers));
    for TotalRule { name, figures, .. } in &TotalResult::of(policy.replays).rules {
        let cells = FIGURES.iter().map(|(_, cell)| cell(figures));
        table.row([code(name)].into_iter().chain(cells));
    }
    table.text()
}

/// An amount of US dollars; empty if it is unknown.
fn cost(amount: Amount, text: fn(Decimal) -> String) -> String {
    amount.0.map(text).unwrap_or_default()
}
