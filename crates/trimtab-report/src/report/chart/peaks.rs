//! Several transcripts: the distribution of their largest contexts, and in which of them rules fired.

use trimtab_simulate::simulate::Trace;

use super::contexts::limits;
use super::{Chart, Limit, Line, MAX_ROWS, Row};
use crate::report::number::plural;
use crate::report::replay_result::ReplayResult;
use crate::report::replays::PolicyReplays;
use crate::report::simulation::verdict;

/// Returns the chart: the transcripts sorted by their largest context, separately for each line, or `None` without a
/// call.
pub(super) fn chart(policies: &[PolicyReplays<'_>]) -> Option<Chart> {
    let first = policies.first()?;
    let transcripts = plural(first.replays.len(), "transcript");
    let recorded = sorted(first, |trace| trace.before().peak);
    let mut lines = vec![line("recorded", &recorded)?];
    let mut rows = Vec::new();
    for (at, policy) in policies.iter().enumerate() {
        let replays = sorted(policy, |trace| trace.after().peak);
        lines.push(line(&policy.plan.policy, &replays)?);
        rows.extend(marks(at + 1, &replays));
    }
    let subtitle = match policies {
        [policy] => verdict(policy.plan, policy.replays, 0).sentence(),
        several => format!("{} policies compared on {transcripts}", several.len()),
    };
    let rows_left_out = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    Some(Chart {
        title: format!("Largest context of {transcripts}"),
        subtitle,
        x_name: "transcripts, from the smallest to the largest context of each line",
        x_noun: "transcript",
        x_first: 1,
        x_steps: u64::try_from(recorded.len().checked_sub(1)?).ok()?,
        y_name: "largest context in tokens",
        lines,
        limits: common_limits(first, policies.len() == 1),
        rows,
        rows_left_out,
    })
}

/// The replays with calls and their largest contexts, the smallest first.
fn sorted<'a>(policy: &PolicyReplays<'a>, peak: fn(&Trace) -> u64) -> Vec<(u64, &'a ReplayResult)> {
    let with_calls = policy.replays.iter().filter(|replay| replay.trace.call_count() > 0);
    let mut all: Vec<(u64, &ReplayResult)> = with_calls.map(|replay| (peak(&replay.trace), replay)).collect();
    all.sort_by_key(|(peak, _)| *peak);
    all
}

fn line(name: &str, replays: &[(u64, &ReplayResult)]) -> Option<Line> {
    let values = replays.iter().map(|(peak, _)| Some(*peak)).collect();
    (!replays.is_empty()).then(|| Line { name: name.to_owned(), values })
}

/// The limits of all transcripts. Empty if their windows differ.
fn common_limits(policy: &PolicyReplays<'_>, is_alone: bool) -> Vec<Limit> {
    let window = |replay: &ReplayResult| replay.trace.window.map(|(window, _)| window);
    let Some(first) = policy.replays.first() else { return Vec::new() };
    let is_common = policy.replays.iter().all(|replay| window(replay) == window(first));
    if is_common { limits(policy.plan, is_alone, &first.trace) } else { Vec::new() }
}

/// A row with the transcripts in which more tokens are sent, and one for each rule with those in which it fired.
fn marks(line: usize, replays: &[(u64, &ReplayResult)]) -> Vec<Row> {
    let row = |name: String, verb, is_marked: &dyn Fn(&Trace) -> bool| {
        let at: Vec<u64> = (0..).zip(replays).filter(|(_, (_, one))| is_marked(&one.trace)).map(|(at, _)| at).collect();
        (!at.is_empty()).then_some(Row { name, verb, line, at })
    };
    let rules = replays.first().map_or(&[][..], |(_, replay)| replay.trace.rules.as_slice());
    let fired = |(at, name): (usize, String)| {
        row(name, "fired in", &|trace| trace.rules.get(at).is_some_and(|rule| rule.fired > 0))
    };
    let rules = rules.iter().map(|rule| rule.name.to_string()).enumerate().filter_map(fired);
    let more = row("more tokens than recorded".to_owned(), "are sent in", &|trace| trace.saved() < 0);
    more.into_iter().chain(rules).collect()
}
