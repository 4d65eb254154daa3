//! One transcript: its contexts call by call, and where rules fired.

use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::Trace;

use super::thresholds::thresholds;
use super::{Chart, Limit, LimitKind, Line, MAX_ROWS, Row};
use crate::report::replay_result::ReplayResult;
use crate::report::replays::PolicyReplays;
use crate::report::simulation::verdict;

/// Returns the chart, or `None` without a call.
pub(super) fn chart(policies: &[PolicyReplays<'_>]) -> Option<Chart> {
    let replays = || policies.iter().filter_map(|policy| policy.replays.first().map(|replay| (policy, replay)));
    let (first, replay) = replays().next()?;
    let calls = u64::try_from(replay.trace.calls.len()).ok()?;
    let recorded = Line { name: "recorded".to_owned(), values: sizes(&replay.trace, |call| Some(call.before)) };
    let mut lines = vec![recorded];
    lines.extend(replays().map(|(policy, replay)| Line {
        name: policy.plan.policy.to_string(),
        values: sizes(&replay.trace, |call| call.made.then_some(call.after)),
    }));
    let mut rows: Vec<Row> = replays().enumerate().flat_map(|(at, (_, replay))| fired(at + 1, replay)).collect();
    let rows_left_out = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let subtitle = match policies {
        [policy] => verdict(policy.plan, std::slice::from_ref(replay), 0).sentence(),
        several => format!("{} policies compared", several.len()),
    };
    Some(Chart {
        title: replay.id.clone(),
        subtitle,
        x_name: "model call",
        x_noun: "call",
        x_first: 0,
        x_steps: calls.checked_sub(1)?,
        y_name: "context in tokens",
        lines,
        limits: limits(first.plan, policies.len() == 1, &replay.trace),
        rows,
        rows_left_out,
    })
}

fn sizes(trace: &Trace, of: impl Fn(&trimtab_simulate::simulate::Call) -> Option<u64>) -> Vec<Option<u64>> {
    trace.calls.iter().map(of).collect()
}

/// A row for each rule that fired at a call.
fn fired(line: usize, replay: &ReplayResult) -> impl Iterator<Item = Row> {
    let calls = &replay.trace.calls;
    replay.trace.rules.iter().enumerate().filter_map(move |(at, rule)| {
        let fired = calls.iter().enumerate().filter(|(_, call)| call.fired.contains(&at));
        let at: Vec<u64> = fired.filter_map(|(call, _)| u64::try_from(call).ok()).collect();
        (!at.is_empty()).then(|| Row { name: rule.name.to_string(), verb: "fired at", line, at })
    })
}

/// The window, and of a policy that is shown alone the window without the reserve and the thresholds.
pub(in super::super) fn limits(plan: &Plan, is_alone: bool, trace: &Trace) -> Vec<Limit> {
    let window = trace.window.map(|(window, _)| window);
    let mut limits = Vec::new();
    limits.extend(window.map(|level| Limit { level, name: "window".to_owned(), kind: LimitKind::Window }));
    let reserve = plan.agent.reserve.filter(|reserve| *reserve > 0 && is_alone);
    limits.extend(window.zip(reserve).map(|(window, reserve)| Limit {
        level: window.saturating_sub(reserve),
        name: "window without reserve".to_owned(),
        kind: LimitKind::Reserve,
    }));
    if is_alone {
        limits.extend(thresholds(plan, window));
    }
    limits
}
