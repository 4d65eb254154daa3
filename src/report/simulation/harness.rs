//! What the recorded harness did to its own context, for people and for machines.

use serde_json::{Value as Json, json};

use super::{ReplayResult, count, list, plural, times};
use crate::quantity::{Decimal, percent};
use crate::simulate::{Clearing, ResetCause, Trace};

/// How many clearings are listed one by one.
const LISTED: usize = 3;

/// How often the recorded context began anew, and why.
pub(super) fn resets(trace: &Trace) -> Vec<String> {
    let number = |is: fn(ResetCause) -> bool| trace.resets.iter().filter(|reset| is(reset.cause)).count();
    let said = |number: usize, text: &str| (number > 0).then(|| format!("{text} {}", times(number)));
    let causes = [
        said(number(|cause| matches!(cause, ResetCause::Compaction(_))), "the recorded harness compacted"),
        said(number(|cause| cause == ResetCause::Cleared), "the recorded context was cleared"),
        said(number(|cause| cause == ResetCause::Unexplained), "the recorded input fell without a recorded reason"),
    ];
    causes.into_iter().flatten().collect()
}

/// The results that the harness cleared, with what our estimate and the harness say that it saved.
pub(super) fn clearings(trace: &Trace) -> Vec<String> {
    let mut lines: Vec<String> = trace.clearings.iter().take(LISTED).map(clearing).collect();
    if trace.clearings.len() > LISTED {
        lines.push(format!("It cleared results {} more.", times(trace.clearings.len() - LISTED)));
    }
    lines
}

fn clearing(one: &Clearing) -> String {
    let missing = if one.missing > 0 { format!(" ({} not found)", one.missing) } else { String::new() };
    let results = plural(one.results, "tool result");
    if one.inferred {
        return format!(
            "Before call {} the recorded input fell without a recorded reason: the oldest {results} ({} tokens by the \
             estimate) are taken as cleared by the harness.",
            one.call,
            count(one.estimated)
        );
    }
    let compared = |tokens: Option<u64>, who: &str| {
        let off = deviation(one, tokens).map(|off| format!(" ({})", signed(off))).unwrap_or_default();
        tokens.map(|tokens| format!("; {who} {}{off}", count(tokens))).unwrap_or_default()
    };
    format!(
        "Before call {} the recorded harness cleared {results}{missing}: {} tokens by the estimate{}{}.",
        one.call,
        count(one.estimated),
        compared(one.measured, "the recorded input fell by"),
        compared(one.stated, "the harness states"),
    )
}

/// How far our estimate of a clearing is from another number for it, as a share of the latter.
fn deviation(one: &Clearing, tokens: Option<u64>) -> Option<Decimal> {
    let tokens = tokens.filter(|tokens| *tokens > 0 && one.missing == 0)?;
    Some((Decimal::from(one.estimated) - Decimal::from(tokens)) / Decimal::from(tokens))
}

fn signed(share: Decimal) -> String {
    format!("{}{}", if share.is_sign_negative() { "" } else { "+" }, percent(share))
}

/// What to say of a window that an automatic compaction contradicts.
pub(super) fn early_compaction(trace: &Trace) -> Option<String> {
    let tokens = trace.early_compaction().filter(|_| !super::is_named(trace))?;
    let share = trace.ratio(tokens).map(percent).unwrap_or_default();
    Some(format!(
        "The recorded harness compacted automatically at {} tokens, {share} of this window: it probably ran with a \
         smaller one. Set it with --window.",
        count(tokens)
    ))
}

/// What to say of several transcripts whose windows automatic compactions contradict.
pub(crate) fn early_compactions<'a>(replays: impl Iterator<Item = (&'a str, &'a Trace)>) -> Option<String> {
    let contradicted = |trace: &Trace| trace.early_compaction().is_some() && !super::is_named(trace);
    let ids: Vec<&str> = replays.filter(|(_, trace)| contradicted(trace)).map(|(id, _)| id).collect();
    let more = ids.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!ids.is_empty()).then(|| {
        format!(
            "The recorded harness compacted automatically at less than half of the window in {}: it probably ran with a \
             smaller one ({}{more}). Set it with --window.",
            plural(ids.len(), "transcript"),
            list(ids.iter().take(LISTED).map(ToString::to_string))
        )
    })
}

/// What the harnesses of several transcripts did, in a line; none when they did nothing.
pub(crate) fn harness_edits(replays: &[ReplayResult]) -> Option<String> {
    let cleared = |inferred: bool| {
        let clearings = replays.iter().flat_map(|one| &one.trace.clearings).filter(move |one| one.inferred == inferred);
        clearings.map(|one| one.results).sum::<usize>()
    };
    let anew: usize = replays.iter().map(|one| one.trace.resets.len()).sum();
    let (recorded, inferred) = (cleared(false), cleared(true));
    let results = |number: usize, what: &str| (number > 0).then(|| format!("{} {what}", plural(number, "tool result")));
    let said = [
        (anew > 0).then(|| format!("the context began anew {}", times(anew))),
        results(recorded, "cleared"),
        results(inferred, "taken as cleared because the recorded input fell"),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("Edits of the recorded harness taken in: {}.", said.join(", ")))
}

/// The keys of a transcript's JSON form.
pub(super) fn json(trace: &Trace) -> [(&'static str, Json); 5] {
    let compactions = trace.resets.iter().filter_map(|reset| match reset.cause {
        ResetCause::Compaction(compaction) => {
            let (automatic, tokens) = (compaction.automatic, compaction.tokens);
            Some(json!({ "call": reset.call, "automatic": automatic, "tokens": tokens }))
        }
        _ => None,
    });
    let clearing = |one: &Clearing| {
        json!({
            "call": one.call,
            "results": one.results,
            "missing": one.missing,
            "estimated_tokens": one.estimated,
            "stated_tokens": one.stated,
            "recorded_tokens": one.measured,
            "inferred": one.inferred,
        })
    };
    [
        ("window_source", trace.window.map(|(_, source)| source.word()).into()),
        ("resets", trace.resets.iter().map(|reset| reset.call).collect()),
        ("compactions", compactions.collect()),
        ("unexplained_falls", trace.drops.clone().into()),
        ("harness_edits", trace.clearings.iter().map(clearing).collect()),
    ]
}
