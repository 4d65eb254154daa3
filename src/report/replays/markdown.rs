//! Tables for a comment or a summary: of one policy its rules and transcripts, of several a column each.

use super::comparison::{self, Columns};
use super::{PolicyReplays, ReplayFormat, Replays};
use crate::quantity::{Decimal, grouped};
use crate::report::findings::escape;
use crate::report::simulation::{OPEN_LOOP_NOTICE, ReplayResult, count};

pub(super) static FORMAT: ReplayFormat =
    ReplayFormat { name: "markdown", summary: "Tables, for a comment on a change", render, line: None };

/// Most transcripts that are listed.
const LISTED: usize = 200;

fn render(all: &Replays<'_>) -> String {
    let mut out = format!("### Simulation of {}\n\n", title(all));
    out += &table(&coded(comparison::totals(all), false));
    if let [one] = all.policies {
        out += &format!("\n{}", table(&rules(one)));
    }
    let (listed, rest) = comparison::transcripts(all, LISTED);
    out += &format!("\n{}", table(&coded(listed, true)));
    if rest > 0 {
        out += &format!("\nand {rest} more; `--format csv` lists them all\n");
    }
    if !all.errors.is_empty() {
        let text = |error: &serde_json::Value, key: &str| escape(error[key].as_str().unwrap_or_default());
        let each = all.errors.iter().map(|error| format!("- {}: {}\n", text(error, "file"), text(error, "message")));
        out += &format!("\nNot replayed:\n\n{}", each.collect::<String>());
    }
    out + &format!("\n{OPEN_LOOP_NOTICE}\n")
}

fn title(all: &Replays<'_>) -> String {
    let names = all.names();
    names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}

/// A name as code.
fn code(name: &str) -> String {
    format!("`{}`", name.replace('`', "'"))
}

/// A table with the names of policies as code, and those of its rows where they are names.
fn coded(mut columns: Columns, rows: bool) -> Columns {
    columns.head.iter_mut().skip(2).for_each(|name| *name = code(name));
    if rows {
        columns.rows.iter_mut().filter_map(|row| row.first_mut()).for_each(|name| *name = code(name));
    }
    columns
}

/// What each rule did, over all transcripts.
fn rules(policy: &PolicyReplays<'_>) -> Columns {
    let head = ["rule", "due", "fired", "edits", "tokens saved"].map(str::to_owned).to_vec();
    let row = |(at, rule): (usize, &crate::check::Rule)| {
        let all = || policy.replays.iter().filter_map(move |one: &ReplayResult| one.trace.rules.get(at));
        let whole = |number: usize| count(u64::try_from(number).unwrap_or(u64::MAX));
        let saved: i128 = all().map(|rule| rule.saved).sum();
        vec![
            code(&rule.name),
            whole(all().map(|rule| rule.due).sum()),
            whole(all().map(|rule| rule.fired).sum()),
            whole(all().map(|rule| rule.edits).sum()),
            Decimal::try_from_i128_with_scale(saved, 0).map_or_else(|_| saved.to_string(), grouped),
        ]
    };
    Columns { head, rows: policy.plan.rules.iter().enumerate().map(row).collect() }
}

fn table(columns: &Columns) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let marks: Vec<String> =
        (0..columns.head.len()).map(|at| if at == 0 { "---" } else { "---:" }.to_owned()).collect();
    let rows: String = columns.rows.iter().map(|row| line(row)).collect();
    format!("{}| {} |\n{rows}", line(&columns.head), marks.join(" | "))
}
