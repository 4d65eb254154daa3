//! Why an action of a due rule did nothing.

use trimtab_language::effect::{IdleReason, SkippedParts};
use trimtab_simulate::simulate::{IdleCount, RuleTrace, Trace};

use super::number::{count, plural, times};

/// The action and the reason: `mask results: at_least 5,000 tokens, and only 3,200 to save`.
pub(super) fn reason(action: &str, idle: &IdleReason) -> String {
    let reason = match idle {
        IdleReason::AllKept => "the kept tail is the whole conversation".to_owned(),
        IdleReason::NoArrivals => "every result has been sent before".to_owned(),
        IdleReason::NoReducibleArrivals(skipped) => nothing("in the arrivals", skipped.as_ref()),
        IdleReason::NothingToReduce(skipped) => nothing("before the kept tail", skipped.as_ref()),
        IdleReason::TooLittle { saved, wanted } => {
            format!("`at_least` is {} tokens, but only {} can be saved", count(*wanted), count(*saved))
        }
        IdleReason::AtGoal { tokens, goal } => {
            format!("`down_to` is {} tokens, and the context is already at {}", count(*goal), count(*tokens))
        }
        IdleReason::NoWindow => "`down_to` or `keep` is a share of the window, which is unknown".to_owned(),
        IdleReason::EmptyPlaybook => "the playbook has no strategies".to_owned(),
        IdleReason::SameRequest => "the next request is already like this".to_owned(),
        IdleReason::NothingNamed => "the request has none of these tools, sections and variables".to_owned(),
        IdleReason::NoMiss => "no call was made again after its result was reduced".to_owned(),
        IdleReason::ResultGone => "the message with the result has been removed".to_owned(),
        IdleReason::ResultWhole => "the result is whole already".to_owned(),
        IdleReason::AlreadyBoosted => "the tool has this factor already".to_owned(),
        IdleReason::Refused => "its edits would break an invariant of the conversation".to_owned(),
    };
    format!("{action}: {reason}")
}

/// A note for each rule that was due and never fired, with the reasons.
pub(super) fn never_fired(traces: &[&Trace]) -> Vec<String> {
    let Some(first) = traces.first() else { return Vec::new() };
    let line = |at: usize| {
        let rules: Vec<&RuleTrace> = traces.iter().filter_map(|trace| trace.rules.get(at)).collect();
        let due: usize = rules.iter().map(|rule| rule.due).sum();
        let mut reasons: Vec<IdleCount> = Vec::new();
        for reason_entry in rules.iter().flat_map(|rule| &rule.idle) {
            match reasons.iter_mut().find(|known| known.is_same_kind(reason_entry)) {
                Some(known) => known.times += reason_entry.times,
                None => reasons.push(reason_entry.clone()),
            }
        }
        if reasons.is_empty() || rules.iter().any(|rule| rule.fired > 0) {
            return None;
        }
        let each = reasons.iter().map(|reason_entry| {
            format!("{} ({})", reason(&reason_entry.action, &reason_entry.reason), times(reason_entry.times))
        });
        let each = each.collect::<Vec<_>>().join("; ");
        Some(format!("`{}` was due {} and never fired: {each}.", first.rules[at].name, times(due)))
    };
    (0..first.rules.len()).filter_map(line).collect()
}

/// A note for each rule that a person declined.
pub(super) fn declined(traces: &[&Trace]) -> Vec<String> {
    let Some(first) = traces.first() else { return Vec::new() };
    let line = |at: usize| {
        let declined: usize = traces.iter().filter_map(|trace| trace.rules.get(at)).map(|rule| rule.declined).sum();
        let name = &first.rules[at].name;
        (declined > 0).then(|| format!("`{name}` was declined {}: nobody confirmed it.", times(declined)))
    };
    (0..first.rules.len()).filter_map(line).collect()
}

fn nothing(place: &str, skipped: Option<&SkippedParts>) -> String {
    let Some(skipped) = skipped else { return format!("nothing left to do {place}") };
    let reasons = [
        (skipped.reduced, "reduced already"),
        (skipped.not_over, "not longer than `over`"),
        (skipped.short, "as short as its replacement"),
        (skipped.protected, "restored and pinned"),
        (skipped.no_errors, "no errors"),
        (skipped.latest, "the newest of their tool"),
        (skipped.request, "in the message that began the run"),
        (skipped.required, "without which a message would be invalid"),
        (skipped.tools, "excluded by `only` or `except`"),
    ];
    let mut parts: Vec<String> = reasons
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, reason)| format!("{number} {reason}"))
        .collect();
    if skipped.errors > 0 {
        parts.push(format!("{} (`errors include` includes them)", plural(skipped.errors, "error")));
    }
    if parts.is_empty() {
        return format!("nothing to reduce {place}");
    }
    format!("nothing left to do {place}: {}", parts.join(", "))
}
