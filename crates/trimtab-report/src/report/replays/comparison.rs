//! Several policies on the same transcripts, one column per policy.

use std::collections::HashMap;

use trimtab_simulate::simulate::Trace;

use super::{PolicyReplays, Replays};
use crate::report::amount::signed_dollars;
use crate::report::number::{count, part_of, plural, sum, whole};
use crate::report::replay_result::ReplayResult;
use crate::report::result::{Bills, RuleFigures, TotalResult};
use crate::report::simulation::{OPEN_LOOP_NOTICE, cost_cells, price_notes, verdict};
use crate::report::table::Table;
use crate::report::wrap::fold_lines;

/// Most transcripts that are listed.
const MAX_LISTED: usize = 40;

/// The head and the rows of a table whose first column names the rows.
pub(super) struct Columns {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A figure over all transcripts: its name, its recorded value if there is one, and its value under a policy.
type Metric = (&'static str, fn(&TotalResult) -> Option<String>, fn(&TotalResult) -> String);

/// The figure that depends on the reserve of a policy also as recorded.
const OVER_WINDOW: &str = "calls over the window";

static FIGURES: &[Metric] = &[
    (
        OVER_WINDOW,
        |all| all.verdict().over_window.recorded.map(count),
        |all| all.verdict().over_window.policy.map_or_else(|| "unknown".to_owned(), count),
    ),
    ("calls prevented by stops", |_| None, |all| count(all.verdict().stopped.calls)),
    ("transcripts stopped", |_| None, |all| count(all.verdict().stopped.sessions)),
    ("peak context", |all| Some(count(all.before.peak_tokens)), |all| count(all.after.peak_tokens)),
    ("mean context", |all| Some(count(all.before.mean_tokens)), |all| count(all.after.mean_tokens)),
    ("tokens sent", |all| Some(count(all.before.tokens_sent)), |all| count(all.after.tokens_sent)),
    ("tokens saved", |_| None, |all| saved(all.tokens_saved.into(), all.compared.tokens_sent.into())),
    (
        "uncached input",
        |all| Some(count(bills(all).before.uncached_input)),
        |all| count(bills(all).after.uncached_input),
    ),
    ("written to cache", |all| Some(count(bills(all).before.cache_write)), |all| count(bills(all).after.cache_write)),
    ("read from cache", |all| Some(count(bills(all).before.cache_read)), |all| count(bills(all).after.cache_read)),
    ("cost", |all| Some(cost_cells(all).0), |all| cost_cells(all).1),
    ("cost saved", |_| None, |all| bills(all).saved().0.map_or_else(|| "unknown".to_owned(), signed_dollars)),
    ("reasoning lost", |_| None, |all| count(all.verdict().reasoning_lost)),
    ("cache breaks", |_| None, |all| of_rules(all, |rule| rule.cache_breaks)),
    ("repeated tool calls", |_| None, |all| count(all.regret.repeated_calls)),
    ("quoting tool calls", |_| None, |all| count(all.regret.quotes)),
    ("transcripts changed", |_| None, |all| count(all.verdict().changes.sessions)),
    ("firings", |_| None, |all| of_rules(all, |rule| rule.fired)),
    ("edits", |_| None, |all| of_rules(all, |rule| rule.edits)),
    ("summaries", |_| None, |all| count(all.events.summaries)),
    ("failed summaries", |_| None, |all| count(all.events.failed_summaries)),
    ("injections", |_| None, |all| count(all.events.injections)),
    ("invariants broken", |_| None, |all| count(all.events.invariants_broken)),
];

const fn bills(all: &TotalResult) -> &Bills {
    &all.money.bills
}

fn of_rules(all: &TotalResult, figure: impl Fn(&RuleFigures) -> u64) -> String {
    count(all.rules.iter().map(|rule| figure(&rule.figures)).fold(0, u64::saturating_add))
}

/// The cache breaks that rules caused.
pub(super) fn cache_breaks(trace: &Trace) -> usize {
    trace.rules.iter().map(|rule| rule.money.breaks).sum()
}

/// Tokens saved with their share of the tokens sent; negative where a policy adds tokens.
fn saved(saved: i128, sent: u128) -> String {
    let sign = if saved < 0 { "-" } else { "" };
    format!("{sign}{}", part_of(saved.unsigned_abs(), sent).replacen('(', &format!("({sign}"), 1))
}

/// A note if policies stop transcripts.
pub(super) fn stop_note(all: &Replays<'_>) -> Option<&'static str> {
    let mut replays = all.policies.iter().flat_map(|policy| policy.replays);
    replays.any(|replay| replay.trace.after_stop > 0).then_some(
        "The figures of a policy are those of the calls that it makes. A call that a stop prevents is no saving: tokens \
         saved and cost saved compare the calls that are made in both.",
    )
}

/// The figures over all transcripts.
pub(super) fn totals(all: &Replays<'_>) -> Columns {
    let totals: Vec<TotalResult> = all.policies.iter().map(|policy| TotalResult::of(policy.replays)).collect();
    let head = ["", "recorded"].map(str::to_owned).into_iter().chain(all.names()).collect();
    let row = |(name, recorded, figure): &Metric| {
        let all: Vec<Option<String>> = totals.iter().map(recorded).collect();
        let is_one = *name != OVER_WINDOW || all.windows(2).all(|pair| pair[0] == pair[1]);
        let cell = |(total, recorded): (&TotalResult, &Option<String>)| match recorded {
            Some(recorded) if !is_one => format!("{recorded} → {}", figure(total)),
            _ => figure(total),
        };
        let cells: Vec<String> = totals.iter().zip(&all).map(cell).collect();
        let recorded = all.into_iter().next().flatten().filter(|_| is_one).unwrap_or_default();
        [(*name).to_owned(), recorded].into_iter().chain(cells).collect()
    };
    Columns { head, rows: FIGURES.iter().map(row).collect() }
}

/// The tokens saved on each transcript: at most `most` rows, and how many are left out.
pub(super) fn transcripts(all: &Replays<'_>, most: usize) -> (Columns, usize) {
    let first = all.policies.first().map_or_else(Vec::new, |policy| all.listed(policy));
    let by_id = |policy: &PolicyReplays<'_>| -> HashMap<String, String> {
        let saving = |replay: &ReplayResult| {
            let sum = replay.trace.compared().sum;
            (replay.id.clone(), saved(replay.trace.saved(), sum))
        };
        policy.replays.iter().map(saving).collect()
    };
    let savings: Vec<HashMap<String, String>> = all.policies.iter().map(by_id).collect();
    let row = |replay: &ReplayResult| {
        let cells = savings.iter().map(|savings| savings.get(&replay.id).cloned().unwrap_or_default());
        [replay.id.clone(), sum(replay.trace.before().sum)].into_iter().chain(cells).collect()
    };
    let head =
        ["tokens saved by transcript", "tokens sent"].map(str::to_owned).into_iter().chain(all.names()).collect();
    let rows: Vec<Vec<String>> = first.iter().take(most).copied().map(row).collect();
    let rest = all.policies.first().map_or(0, |policy| policy.replays.len() - rows.len());
    (Columns { head, rows }, rest)
}

/// For a terminal.
pub(super) fn human(all: &Replays<'_>) -> String {
    let count = all.policies.first().map_or(0, |policy| policy.replays.len());
    let title = format!("{} on {}", plural(all.policies.len(), "policy"), plural(count, "transcript"));
    let verdicts = all.policies.iter().zip(all.names()).map(|(policy, name)| {
        let verdict = verdict(policy.plan, policy.replays, all.errors.len()).sentence();
        all.style.wrap(&format!("{name}: {verdict}"), 2)
    });
    let mut out = format!("{}\n{}\n", all.style.emphasis(&title), verdicts.collect::<String>());
    let mut figures = totals(all);
    if !all.is_verbose {
        // What no policy does is no figure to compare.
        figures.rows.retain(|row| row[1..].iter().any(|cell| !["", "0"].contains(&cell.as_str())));
    }
    out += &table(figures, all);
    let (listed, rest) = transcripts(all, all.top.unwrap_or(MAX_LISTED));
    if count > 1 {
        out += &format!("\n{}", table(listed, all));
        if rest > 0 {
            out += &format!("  and {}\n", more(rest, all.top));
        }
    }
    out += &format!("\n{}", all.style.wrap(OPEN_LOOP_NOTICE, 2));
    out.extend(stop_note(all).map(|note| all.style.wrap(note, 2)));
    let notes = all.policies.first().map_or_else(Vec::new, |policy| price_notes(policy.replays));
    out.extend(notes.iter().map(|note| all.style.wrap(note, 2)));
    fold_lines(&out, all.style.width)
}

/// The transcripts that are left out.
fn more(rest: usize, top: Option<usize>) -> String {
    let rest = whole(rest);
    top.map_or_else(
        || format!("{rest} more; --format csv lists them all"),
        |_| format!("{rest} more, which change less"),
    )
}

fn table(columns: Columns, all: &Replays<'_>) -> String {
    let mut table = Table::new(&columns.head.iter().map(String::as_str).collect::<Vec<_>>());
    columns.rows.into_iter().for_each(|row| table.row(row));
    table.fitted(2, all.style.width).iter().map(|line| format!("{line}\n")).collect()
}
