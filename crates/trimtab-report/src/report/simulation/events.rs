//! Events of one replay: summaries, stops, rules that did not fire, notices, skipped records.

use trimtab_language::effect::Signal;
use trimtab_run::run::RuleSignal;
use trimtab_simulate::simulate::{Learned, Trace};

use super::harness;
use crate::report::idle;
use crate::report::number::{count, plural, skipped_kinds, times};

/// How many failures and stops are listed one by one.
const MAX_LISTED: usize = 3;

/// What went wrong, stopped a run, or did not happen.
pub(super) fn events(trace: &Trace) -> Vec<String> {
    let mut lines = failures_and_stops(trace);
    lines.extend(idle::never_fired(&[trace]));
    lines.extend(idle::declined(&[trace]));
    for rule in trace.rules.iter().filter(|rule| rule.short.0 > 0) {
        let (often, short) = rule.short;
        let (name, often, short) = (&rule.name, times(often), count(short));
        lines.push(format!("`{name}` missed its `down_to` target {often}, by at most {short} tokens."));
    }
    lines.extend(trace.learned.as_ref().map(learned));
    lines
}

/// Counts and single events that the figures and rules above show, and records that were skipped.
pub(super) fn details(trace: &Trace) -> Vec<String> {
    let mut counts = vec![plural(trace.runs, "run"), plural(trace.summaries, "summary")];
    counts.push(plural(trace.injections, "injection"));
    counts.extend(harness::resets(trace));
    let mut lines = vec![format!("{}.", counts.join(", "))];
    lines.extend(harness::clearings(trace));
    if trace.after_stop > 0 {
        lines.push(format!("{} would not have been made.", plural(trace.after_stop, "recorded call")));
    }
    lines.extend(boosts(trace));
    lines.extend(first_notice(trace));
    if !trace.skipped.is_empty() {
        lines.push(format!("Skipped records: {}.", skipped_kinds(&trace.skipped)));
    }
    lines
}

fn failures_and_stops(trace: &Trace) -> Vec<String> {
    let mut lines = Vec::new();
    for (call, rule, reason) in trace.failures.iter().take(MAX_LISTED) {
        lines.push(format!("At call {call} the summary of `{rule}` failed: {reason}."));
    }
    lines.extend(more(trace.failures.len(), "failed summary"));
    for (call, rule, reason) in trace.stops().take(MAX_LISTED) {
        lines.push(format!("`{rule}` stops the run at call {call}: {reason}"));
    }
    lines.extend(more(trace.stops().count(), "stop"));
    lines
}

/// A line for what is left out of such a list.
fn more(count: usize, noun: &str) -> Option<String> {
    let rest = count.saturating_sub(MAX_LISTED);
    (rest > 0).then(|| format!("And {}.", plural(rest, &format!("more {noun}"))))
}

fn boosts(trace: &Trace) -> Vec<String> {
    let line = |(call, RuleSignal { rule, signal }): &(usize, RuleSignal)| match signal {
        Signal::Boost { tool, factor } => {
            Some(format!("`{rule}` boosts the results of `{tool}` by {factor} at call {call}."))
        }
        _ => None,
    };
    let mut lines: Vec<String> = trace.signals.iter().filter_map(line).collect();
    let more = more(lines.len(), "boost");
    lines.truncate(MAX_LISTED);
    lines.extend(more);
    lines
}

fn learned(learned: &Learned) -> String {
    let held = plural(learned.after.len(), "strategy");
    let changes = [(learned.added(), "added"), (learned.changed(), "updated"), (learned.removed(), "removed")];
    let changes = changes.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}"));
    let changes = changes.collect::<Vec<_>>().join(", ");
    let changes = if changes.is_empty() { "unchanged".to_owned() } else { changes };
    format!("At the end the playbook has {held}: {changes}.")
}

fn first_notice(trace: &Trace) -> Option<String> {
    let mut notices = trace.notices();
    let (call, rule, text) = notices.next()?;
    let rest = notices.count();
    let more = if rest > 0 { format!(" ({rest} more)") } else { String::new() };
    Some(format!("Notice from `{rule}` at call {call}: {text}{more}"))
}
