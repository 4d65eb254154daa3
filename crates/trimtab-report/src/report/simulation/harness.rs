//! Edits of the recorded harness, as human-readable text and as JSON.

use trimtab_base::quantity::{Decimal, percent, signed_percent};
use trimtab_simulate::simulate::{Clearing, ResetCause, Trace};

use super::wording::is_chosen_window;
use crate::report::number::{count, plural, times};
use crate::report::replay_result::ReplayResult;

/// How many clearings are listed one by one.
const MAX_LISTED: usize = 3;

/// How often the recorded context was reset, and why.
pub(super) fn resets(trace: &Trace) -> Vec<String> {
    let number = |is: fn(ResetCause) -> bool| trace.resets.iter().filter(|reset| is(reset.cause)).count();
    let counted = |number: usize, text: &str| (number > 0).then(|| format!("{text} {}", times(number)));
    let causes = [
        counted(number(|cause| matches!(cause, ResetCause::Compaction(_))), "the recorded harness compacted"),
        counted(number(|cause| cause == ResetCause::Cleared), "the recorded context was cleared"),
        counted(
            number(|cause| cause == ResetCause::Unexplained),
            "the recorded input shrank without a recorded reason",
        ),
    ];
    causes.into_iter().flatten().collect()
}

/// The results that the harness cleared, with the tokens that this saved.
pub(super) fn clearings(trace: &Trace) -> Vec<String> {
    let mut lines: Vec<String> = trace.clearings.iter().take(MAX_LISTED).map(clearing).collect();
    if trace.clearings.len() > MAX_LISTED {
        lines.push(format!("It cleared results {}.", plural(trace.clearings.len() - MAX_LISTED, "more time")));
    }
    lines
}

fn clearing(clearing: &Clearing) -> String {
    let missing = if clearing.missing > 0 { format!(" ({} not found)", clearing.missing) } else { String::new() };
    let results = plural(clearing.results, "tool result");
    if clearing.inferred {
        return format!(
            "Before call {} the recorded input shrank without a recorded reason: the harness is assumed to have cleared the \
             oldest {results} (an estimated {} tokens).",
            clearing.call,
            count(clearing.estimated)
        );
    }
    let compared = |tokens: Option<u64>, who: &str| {
        let off = deviation(clearing, tokens).map(|off| format!(" ({})", signed_percent(off))).unwrap_or_default();
        tokens.map(|tokens| format!("; {who} {}{off}", count(tokens))).unwrap_or_default()
    };
    format!(
        "Before call {} the recorded harness cleared {results}{missing}: an estimated {} tokens{}{}.",
        clearing.call,
        count(clearing.estimated),
        compared(clearing.measured, "the recorded input shrank by"),
        compared(clearing.stated, "the harness reports"),
    )
}

/// The deviation of the estimated tokens of a clearing from another number, as a share of the latter.
fn deviation(clearing: &Clearing, tokens: Option<u64>) -> Option<Decimal> {
    let tokens = tokens.filter(|tokens| *tokens > 0 && clearing.missing == 0)?;
    Some((Decimal::from(clearing.estimated) - Decimal::from(tokens)) / Decimal::from(tokens))
}

/// A note if an automatic compaction contradicts the window.
pub(super) fn early_compaction(trace: &Trace) -> Option<String> {
    let tokens = trace.early_compaction().filter(|_| !is_chosen_window(trace))?;
    let share = trace.ratio(tokens).map(percent).unwrap_or_default();
    Some(format!("The harness compacted at {share} of the window: set a smaller one with --window."))
}

/// The same over several transcripts.
pub(super) fn early_compactions<'a>(replays: impl Iterator<Item = &'a Trace>) -> Option<String> {
    let contradicted = |trace: &Trace| trace.early_compaction().is_some() && !is_chosen_window(trace);
    let number = replays.filter(|trace| contradicted(trace)).count();
    (number > 0).then(|| {
        let transcripts = plural(number, "transcript");
        format!("In {transcripts} the harness compacted below half of the window: set a smaller one with --window.")
    })
}

/// Returns the edits of the harnesses of several transcripts, or `None` if there were none.
pub(super) fn harness_edits(replays: &[ReplayResult]) -> Option<String> {
    let cleared = |inferred: bool| {
        let clearings = replays
            .iter()
            .flat_map(|replay| &replay.trace.clearings)
            .filter(move |clearing| clearing.inferred == inferred);
        clearings.map(|clearing| clearing.results).sum::<usize>()
    };
    let resets: usize = replays.iter().map(|replay| replay.trace.resets.len()).sum();
    let (recorded, inferred) = (cleared(false), cleared(true));
    let results = |number: usize, what: &str| (number > 0).then(|| format!("{} {what}", plural(number, "tool result")));
    let parts = [
        (resets > 0).then(|| plural(resets, "context reset")),
        results(recorded, "cleared"),
        results(inferred, "probably cleared"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let harness = if replays.len() == 1 { "harness" } else { "harnesses" };
    (!parts.is_empty()).then(|| format!("Edits of the recorded {harness}: {}.", parts.join(", ")))
}
