//! A line for each transcript and policy, as spreadsheets and data frames read it (RFC 4180).

use trimtab_base::quantity::Decimal;
use trimtab_base::source::sanitize::one_line;
use trimtab_simulate::simulate::Compared;

use super::comparison::cache_breaks;
use super::{PolicyReplays, ReplayFormat, Replays};
use crate::report::Encoding;
use crate::report::amount::exact_dollars;
use crate::report::replay_result::ReplayResult;
use crate::report::result::{Amount, Bills};

pub(super) static FORMAT: ReplayFormat = ReplayFormat {
    name: "csv",
    summary: "One line per transcript, for spreadsheets",
    encoding: Encoding::Text,
    render: Some(render),
    stream: None,
};

/// A column: its name, and the cell of a replay.
type Column = (&'static str, fn(&PolicyReplays<'_>, &ReplayResult) -> String);

static COLUMNS: &[Column] = &[
    ("policy", |policy, _| policy.plan.policy.to_string()),
    ("policy_file", |policy, _| policy.file.to_owned()),
    ("transcript", |_, replay| replay.id.clone()),
    ("file", |_, replay| replay.file.clone()),
    ("format", |_, replay| replay.trace.format.to_owned()),
    ("model", |_, replay| replay.trace.model.as_ref().map(ToString::to_string).unwrap_or_default()),
    ("window", |_, replay| replay.trace.window.map(|(window, _)| window.to_string()).unwrap_or_default()),
    ("calls", |_, replay| replay.trace.call_count().to_string()),
    ("runs", |_, replay| replay.trace.runs.to_string()),
    ("calls_over_window_before", |_, replay| over_window(replay, |over| over.recorded)),
    ("calls_over_window_after", |_, replay| over_window(replay, |over| over.policy)),
    ("peak_tokens_before", |_, replay| replay.trace.before().peak.to_string()),
    ("peak_tokens_after", |_, replay| replay.trace.after().peak.to_string()),
    ("mean_tokens_before", |_, replay| replay.trace.before().mean.to_string()),
    ("mean_tokens_after", |_, replay| replay.trace.after().mean.to_string()),
    ("tokens_before", |_, replay| replay.trace.before().sum.to_string()),
    ("tokens_compared", |_, replay| replay.trace.compared().sum.to_string()),
    ("tokens_after", |_, replay| replay.trace.after().sum.to_string()),
    ("tokens_saved", |_, replay| replay.trace.saved().to_string()),
    ("uncached_input_before", |_, replay| replay.trace.money.before.usage.input.to_string()),
    ("uncached_input_after", |_, replay| replay.trace.money.after.usage.input.to_string()),
    ("cache_write_before", |_, replay| replay.trace.money.before.usage.cache_write.to_string()),
    ("cache_write_after", |_, replay| replay.trace.money.after.usage.cache_write.to_string()),
    ("cache_read_before", |_, replay| replay.trace.money.before.usage.cache_read.to_string()),
    ("cache_read_after", |_, replay| replay.trace.money.after.usage.cache_read.to_string()),
    ("output_before", |_, replay| replay.trace.money.before.usage.output.to_string()),
    ("output_after", |_, replay| replay.trace.money.after.usage.output.to_string()),
    ("cost_before", |_, replay| amount(replay, |bills| bills.before.cost)),
    ("cost_after", |_, replay| amount(replay, Bills::with_policy)),
    ("cost_saved", |_, replay| amount(replay, Bills::saved)),
    ("unpriced_calls", |_, replay| replay.trace.pricing.unpriced_calls().to_string()),
    ("cache_breaks", |_, replay| cache_breaks(&replay.trace).to_string()),
    ("repeated_calls", |_, replay| replay.trace.regret.repeated.len().to_string()),
    ("quoting_calls", |_, replay| replay.trace.regret.quotes.len().to_string()),
    ("firings", |_, replay| replay.trace.rules.iter().map(|rule| rule.fired).sum::<usize>().to_string()),
    ("edits", |_, replay| replay.trace.rules.iter().map(|rule| rule.edits).sum::<usize>().to_string()),
    ("summaries", |_, replay| replay.trace.summaries.to_string()),
    ("injections", |_, replay| replay.trace.injections.to_string()),
    ("calls_after_stop", |_, replay| replay.trace.after_stop.to_string()),
    ("first_divergence", |_, replay| replay.trace.first_divergence.map(|call| call.to_string()).unwrap_or_default()),
    ("invariants_broken", |_, replay| replay.trace.invariants.broken.len().to_string()),
];

/// An amount of the bills of a replay; empty if no price is known.
fn amount(replay: &ReplayResult, of: fn(&Bills) -> Amount) -> String {
    of(&Bills::of(&replay.trace.money)).0.map(exact_dollars).unwrap_or_default()
}

fn over_window(replay: &ReplayResult, of: fn(Compared<usize>) -> usize) -> String {
    replay.trace.over_window().map(|over| of(over).to_string()).unwrap_or_default()
}

fn render(all: &Replays<'_>) -> String {
    let line = |cells: Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\r\n";
    let head = line(COLUMNS.iter().map(|(name, _)| (*name).to_owned()).collect());
    let lines = all.policies.iter().flat_map(|policy| {
        all.listed(policy)
            .into_iter()
            .map(move |replay| line(COLUMNS.iter().map(|(_, cell)| cell(policy, replay)).collect()))
    });
    head + &lines.collect::<String>()
}

/// A cell in one line, in quotes if it contains a separator. An apostrophe keeps spreadsheets from reading text as a formula.
fn quoted(cell: &str) -> String {
    let marker = if is_formula(cell) { "'" } else { "" };
    let cell = format!("{marker}{}", one_line(cell));
    if cell.contains(['"', ',', '\r', '\n']) || cell.starts_with(' ') || cell.ends_with(' ') {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    cell
}

/// Whether a spreadsheet would compute a cell that is no number.
fn is_formula(cell: &str) -> bool {
    let starts = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    starts && Decimal::from_str_exact(cell).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_with_separators_is_quoted() {
        assert_eq!(["a b", "a,b", "a\"b", "a\nb", " a"].map(quoted), ["a b", "\"a,b\"", "\"a\"\"b\"", "a b", "\" a\""]);
    }

    #[test]
    fn text_is_no_formula() {
        let cells = ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "＝1", "-12", "-0.5", "a=1"].map(quoted);
        assert_eq!(cells, ["'=1+1", "'+1+1", "'-1+1", "'@SUM(1)", "' =1", "' =1", "'＝1", "-12", "-0.5", "a=1"]);
    }

    #[test]
    fn column_names_are_unique() {
        let mut names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COLUMNS.len());
    }
}
