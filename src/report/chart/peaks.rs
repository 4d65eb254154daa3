//! Several transcripts: the distribution of their largest contexts.

use super::{Chart, Line};
use crate::report::number::plural;
use crate::report::replays::PolicyReplays;
use crate::report::simulation::verdict_of_many;
use crate::simulate::Trace;

/// The chart: the transcripts sorted by their largest context, separately for each line; none without a call.
pub(super) fn chart(policies: &[PolicyReplays<'_>]) -> Option<Chart> {
    let first = policies.first()?;
    let transcripts = plural(first.replays.len(), "transcript");
    let recorded = sorted(first, |trace| trace.before().peak)?;
    let mut lines = vec![Line { name: "recorded".to_owned(), values: recorded }];
    for policy in policies {
        lines.push(Line { name: policy.plan.policy.to_string(), values: sorted(policy, |trace| trace.after().peak)? });
    }
    let subtitle = match policies {
        [policy] => verdict_of_many(policy.plan, policy.replays),
        several => format!("{} policies compared on {transcripts}", several.len()),
    };
    Some(Chart {
        title: format!("Largest context of {transcripts}"),
        subtitle,
        x_name: "transcripts, from the smallest to the largest context",
        x_first: 1,
        x_steps: u64::try_from(lines.first()?.values.len().checked_sub(1)?).ok()?,
        y_name: "largest context in tokens",
        lines,
        limits: Vec::new(),
        rows: Vec::new(),
        rows_left_out: 0,
    })
}

fn sorted(policy: &PolicyReplays<'_>, peak: fn(&Trace) -> u64) -> Option<Vec<Option<u64>>> {
    let with_calls = policy.replays.iter().filter(|replay| replay.trace.call_count() > 0);
    let mut peaks: Vec<u64> = with_calls.map(|replay| peak(&replay.trace)).collect();
    peaks.sort_unstable();
    (!peaks.is_empty()).then(|| peaks.into_iter().map(Some).collect())
}
