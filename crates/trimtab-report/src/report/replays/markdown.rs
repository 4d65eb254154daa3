//! Replays as Markdown: for one policy its rules and transcripts, for several a column each.

use trimtab_base::quantity::Decimal;

use super::comparison::{self, Columns};
use super::{PolicyReplays, ReplayFormat, Replays};
use crate::report::Encoding;
use crate::report::amount::{dollars, signed_dollars};
use crate::report::markdown::{Align, Table, code, escape};
use crate::report::number::{count, signed, whole};
use crate::report::result::{Amount, TotalResult, TotalRule};
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
    let names = [
        "due",
        "fired",
        "edits",
        "tokens saved",
        "cost saved",
        "cost caused",
        "cache breaks",
        "repeated calls",
        "quoting calls",
    ];
    let numbers = names.map(|name| (name, Align::Right));
    let mut table = Table::new([("rule", Align::Left)].into_iter().chain(numbers));
    let total = TotalResult::of(policy.replays);
    let cost = |text: fn(Decimal) -> String, amount: Amount| amount.0.map(text).unwrap_or_default();
    for TotalRule { name, figures, .. } in &total.rules {
        let mut row = vec![code(name)];
        row.extend([figures.due, figures.fired, figures.edits].map(count));
        row.push(signed(figures.tokens_saved.into()));
        row.extend([cost(signed_dollars, figures.cost_saved), cost(dollars, figures.cost_caused)]);
        row.extend([figures.cache_breaks, figures.repeated_calls, figures.quotes].map(count));
        table.row(row);
    }
    table.text()
}
