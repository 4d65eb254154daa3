//! Several policies on the same transcripts, one column per policy.

use std::collections::HashMap;

use trimtab_simulate::simulate::{Series, Totals, Trace};

use super::{PolicyReplays, Replays};
use crate::report::amount::signed_dollars;
use crate::report::number::{count, part_of, plural, sum, whole};
use crate::report::replay_result::{ReplayResult, is_changed};
use crate::report::simulation::{OPEN_LOOP_NOTICE, Total, price_notes, verdict};
use crate::report::table::Table;
use crate::report::verdict::VerdictFigures;
use crate::report::wrap::fold_lines;

/// Most transcripts that are listed.
const MAX_LISTED: usize = 40;

/// The head and the rows of a table whose first column names the rows.
pub(super) struct Columns {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// The sums over all transcripts under a policy.
struct Sums {
    before: Series,
    compared: Series,
    after: Series,
    money: Total,
    verdict: VerdictFigures,
}

impl Sums {
    fn of(policy: &PolicyReplays<'_>) -> Self {
        let traces = || policy.replays.iter().map(|replay| &replay.trace);
        let Totals { before, compared, after, .. } = Totals::of(traces());
        let money = Total::of(traces().map(|trace| &trace.money));
        let verdict = VerdictFigures::of_all(policy.replays.iter().map(|replay| (replay.id.as_str(), &replay.trace)));
        Self { before, compared, after, money, verdict }
    }
}

/// A figure over all transcripts: its name, its recorded value if there is one, and its value under a policy.
type Metric = (&'static str, fn(&Sums) -> Option<String>, fn(&PolicyReplays<'_>, &Sums) -> String);

static FIGURES: &[Metric] = &[
    (
        "calls over the window",
        |all| all.verdict.over_window.recorded.map(count),
        |_, all| all.verdict.over_window.policy.map_or_else(|| "unknown".to_owned(), count),
    ),
    ("calls prevented by stops", |_| None, |_, all| count(all.verdict.stopped.calls)),
    ("sessions stopped", |_| None, |_, all| count(all.verdict.stopped.sessions)),
    ("peak context", |all| Some(count(all.before.peak)), |_, all| count(all.after.peak)),
    ("mean context", |all| Some(count(all.before.mean)), |_, all| count(all.after.mean)),
    ("tokens sent", |all| Some(sum(all.before.sum)), |_, all| sum(all.after.sum)),
    (
        "tokens saved",
        |_| None,
        |policy, all| saved(policy.replays.iter().map(|replay| replay.trace.saved()).sum(), all.compared.sum),
    ),
    ("uncached input", |all| Some(count(all.money.recorded_usage().input)), |_, all| count(all.money.usage().1.input)),
    (
        "written to cache",
        |all| Some(count(all.money.recorded_usage().cache_write)),
        |_, all| count(all.money.usage().1.cache_write),
    ),
    (
        "read from cache",
        |all| Some(count(all.money.recorded_usage().cache_read)),
        |_, all| count(all.money.usage().1.cache_read),
    ),
    ("cost", |all| Some(all.money.cells().0), |_, all| all.money.cells().1),
    ("cost saved", |_| None, |_, all| all.money.saved().map_or_else(|| "unknown".to_owned(), signed_dollars)),
    ("reasoning lost", |_| None, |_, all| count(all.verdict.reasoning_lost)),
    ("cache breaks", |_| None, |policy, _| of(policy, cache_breaks)),
    ("repeated calls", |_| None, |policy, _| of(policy, |trace| trace.regret.repeated.len())),
    ("quoting calls", |_| None, |policy, _| of(policy, |trace| trace.regret.quotes.len())),
    ("transcripts changed", |_| None, |policy, _| of(policy, |trace| usize::from(is_changed(trace)))),
    ("firings", |_| None, |policy, _| of(policy, fired)),
    ("edits", |_| None, |policy, _| of(policy, |trace| trace.rules.iter().map(|rule| rule.edits).sum())),
    ("summaries", |_| None, |policy, _| of(policy, |trace| trace.summaries)),
    ("failed summaries", |_| None, |policy, _| of(policy, |trace| trace.failures.len())),
    ("injections", |_| None, |policy, _| of(policy, |trace| trace.injections)),
    ("invariants broken", |_| None, |policy, _| of(policy, |trace| trace.invariants.broken.len())),
];

fn of(policy: &PolicyReplays<'_>, figure: impl Fn(&Trace) -> usize) -> String {
    whole(policy.replays.iter().map(|replay| figure(&replay.trace)).sum())
}

/// The breaks of the cache that rules caused.
pub(super) fn cache_breaks(trace: &Trace) -> usize {
    trace.rules.iter().map(|rule| rule.money.breaks).sum()
}

fn fired(trace: &Trace) -> usize {
    trace.rules.iter().map(|rule| rule.fired).sum()
}

/// Tokens saved with their share of the tokens sent; negative where a policy adds tokens.
fn saved(saved: i128, sent: u128) -> String {
    let sign = if saved < 0 { "-" } else { "" };
    format!("{sign}{}", part_of(saved.unsigned_abs(), sent).replacen('(', &format!("({sign}"), 1))
}

/// A note if policies stop sessions.
pub(super) fn stop_note(all: &Replays<'_>) -> Option<&'static str> {
    let mut replays = all.policies.iter().flat_map(|policy| policy.replays);
    replays.any(|replay| replay.trace.after_stop > 0).then_some(
        "The figures of a policy are those of the calls that it makes. A call that a stop prevents is no saving: tokens \
         saved and cost saved compare the calls that are made in both.",
    )
}

/// The figures over all transcripts.
pub(super) fn totals(all: &Replays<'_>) -> Columns {
    let totals: Vec<Sums> = all.policies.iter().map(Sums::of).collect();
    let head = ["", "recorded"].map(str::to_owned).into_iter().chain(all.names()).collect();
    let row = |(name, recorded, figure): &Metric| {
        let recorded = totals.first().and_then(recorded).unwrap_or_default();
        let cells = all.policies.iter().zip(&totals).map(|(policy, totals)| figure(policy, totals));
        [(*name).to_owned(), recorded].into_iter().chain(cells).collect()
    };
    Columns { head, rows: FIGURES.iter().map(row).collect() }
}

/// The tokens saved on each transcript: at most `most` rows, and how many are left out.
pub(super) fn transcripts(all: &Replays<'_>, most: usize) -> (Columns, usize) {
    let first = all.policies.first().map_or_else(Vec::new, |policy| all.listed(policy));
    let by_id = |policy: &PolicyReplays<'_>| -> HashMap<String, String> {
        let saving = |replay: &ReplayResult| {
            let Series { sum, .. } = replay.trace.compared();
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
    top.map_or_else(|| format!("{rest} more; --format csv lists them all"), |_| format!("{rest} more that change less"))
}

fn table(columns: Columns, all: &Replays<'_>) -> String {
    let mut table = Table::new(&columns.head.iter().map(String::as_str).collect::<Vec<_>>());
    columns.rows.into_iter().for_each(|row| table.row(row));
    table.fitted(2, all.style.width).iter().map(|line| format!("{line}\n")).collect()
}
