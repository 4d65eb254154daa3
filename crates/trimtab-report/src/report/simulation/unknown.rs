//! Notes on facts that rules read and that were unknown at every call.

use std::collections::{BTreeMap, BTreeSet};

use trimtab_language::fact::Unknown;
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::{MissingTool, Trace, UnknownFact};

use crate::report::number::{list, plural};
use crate::report::replay_result::ReplayResult;

/// The longest list of models or rules that is printed in full.
const MAX_LISTED: usize = 3;
/// The most tools that are listed.
const MAX_TOOLS: usize = 8;

/// A note for each rule and fact of one transcript that was unknown at every call, those that need the window or the others: that
/// the window is unknown has a note of its own.
pub(super) fn of_one(trace: &Trace, needs_window: bool) -> Vec<String> {
    let line = |unknown: &UnknownFact| {
        let rule = &trace.rules[unknown.rule].name;
        format!("`{rule}`: `{}` was unknown at every call: {}.", unknown.fact, reason(unknown, trace))
    };
    trace.unknown.iter().filter(|unknown| (unknown.why == Unknown::Window) == needs_window).map(line).collect()
}

/// The same over several transcripts.
pub(super) fn of_many(plan: &Plan, replays: &[ReplayResult], needs_window: bool) -> Vec<String> {
    let mut all: BTreeMap<&UnknownFact, Vec<&Trace>> = BTreeMap::new();
    for trace in replays.iter().map(|replay| &replay.trace) {
        let found = trace.unknown.iter().filter(|unknown| (unknown.why == Unknown::Window) == needs_window);
        found.for_each(|unknown| all.entry(unknown).or_default().push(trace));
    }
    let line = |(unknown, traces): (&UnknownFact, Vec<&Trace>)| {
        let rule = &plan.rules[unknown.rule].name;
        let mut reasons: Vec<String> = traces.iter().map(|trace| reason(unknown, trace)).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let rest = reasons.len().saturating_sub(MAX_LISTED);
        let more = if rest > 0 { format!("; and {rest} more") } else { String::new() };
        reasons.truncate(MAX_LISTED);
        let count = plural(traces.len(), "transcript");
        format!("`{rule}`: `{}` was unknown at every call of {count}: {}{more}.", unknown.fact, reasons.join("; "))
    };
    all.into_iter().map(line).collect()
}

/// Notes on tools that the recordings do not have, and on spending that is estimated.
pub(super) fn of_all(plan: &Plan, traces: &[&Trace]) -> Vec<String> {
    let notes = [missing_tools(traces), other_spellings(traces), estimated(plan, traces)];
    notes.into_iter().flatten().collect()
}

/// The facts that one rule read and that were unknown at every call, each with what is missing, in a word and in a sentence.
pub(in super::super) fn unknown_facts(
    trace: &Trace,
    rule: usize,
) -> impl Iterator<Item = (&UnknownFact, &'static str, String)> {
    let of_rule = trace.unknown.iter().filter(move |unknown| unknown.rule == rule);
    of_rule.map(|unknown| (unknown, word(unknown.why), reason(unknown, trace)))
}

const fn word(why: Unknown) -> &'static str {
    match why {
        Unknown::Window => "window",
        Unknown::Model => "model",
        Unknown::Agent => "agent",
        Unknown::Price => "price",
        Unknown::Time | Unknown::Pause => "time",
        Unknown::Usage => "usage",
        Unknown::Call => "call",
        Unknown::Result => "result",
        Unknown::Firing => "firing",
        Unknown::Variable => "variable",
        Unknown::Miss => "miss",
        Unknown::Compaction => "compaction",
        Unknown::Edit => "edit",
        Unknown::Host => "host",
    }
}

fn reason(unknown: &UnknownFact, trace: &Trace) -> String {
    match (unknown.why, &trace.model, &unknown.about) {
        (Unknown::Window, _, _) => "the context window is unknown".to_owned(),
        (Unknown::Model, _, _) | (Unknown::Price, None, _) => "no model is named".to_owned(),
        (Unknown::Price, Some(name), _) => {
            format!("no price is known for model `{name}`; add it to `[models]` in trimtab.toml")
        }
        (Unknown::Agent, _, _) => "the session is of the main agent, or of one without a name".to_owned(),
        (Unknown::Pause, _, _) => "no reply has a timestamp together with the call after it".to_owned(),
        (Unknown::Time, _, _) => "no message has a timestamp".to_owned(),
        (Unknown::Usage, _, _) if trace.call_count() < 2 => "there is no reply before the last call".to_owned(),
        (Unknown::Usage, _, _) => {
            "no reply has recorded usage; on a host that does not report it, this is never known".to_owned()
        }
        (Unknown::Call, _, _) => "no tool was called".to_owned(),
        (Unknown::Result, _, _) => "there is no tool result before the last call".to_owned(),
        (Unknown::Variable, _, Some(name)) => format!("no rule had set `{name}` for a request"),
        (Unknown::Variable, _, None) => "no rule had set the variable for a request".to_owned(),
        (Unknown::Host, _, _) => "neither the recording nor `--fact` supplies it".to_owned(),
        (Unknown::Miss, _, _) => "no call was made again after its result was reduced".to_owned(),
        (Unknown::Compaction, _, _) => "the context was not compacted".to_owned(),
        (Unknown::Edit, _, _) => "no call changed a file".to_owned(),
        (Unknown::Firing, _, Some(rule)) => format!("`{rule}` had not fired before"),
        (Unknown::Firing, _, None) => "the rule had not fired before".to_owned(),
    }
}

/// A note on tools that the policy names and no recording has. Recordings without any tools do not count.
fn missing_tools(traces: &[&Trace]) -> Option<String> {
    let missing: Vec<&Vec<MissingTool>> = traces.iter().filter_map(|trace| trace.missing_tools.as_ref()).collect();
    let (first, rest) = missing.split_first()?;
    let is_missing = |tool: &&MissingTool| rest.iter().all(|missing| missing.iter().any(|one| one.name == tool.name));
    let names: Vec<String> = first.iter().filter(is_missing).map(|tool| format!("`{}`", tool.name)).collect();
    let what = if names.len() == 1 { "tool" } else { "tools" };
    let recordings = if traces.len() == 1 { "The recording does not have" } else { "No recording has" };
    (!names.is_empty()).then(|| format!("{recordings} the {what} {}, which the policy names.", list(names, MAX_TOOLS)))
}

/// A note on tools that the policy names and that a recording has only in other upper and lower case.
fn other_spellings(traces: &[&Trace]) -> Option<String> {
    let missing = traces.iter().flat_map(|trace| trace.missing_tools.iter().flatten());
    let pairs =
        missing.filter_map(|tool| Some((format!("`{}`", tool.name), format!("`{}`", tool.case_variant.as_ref()?))));
    let (names, case_variants): (BTreeSet<String>, BTreeSet<String>) = pairs.unzip();
    let recordings = if traces.len() == 1 { "the recording has" } else { "recordings have" };
    (!names.is_empty()).then(|| {
        let (names, case_variants) = (list(names, MAX_TOOLS), list(case_variants, MAX_TOOLS));
        format!("Names of tools are case-sensitive: the policy names {names}, and {recordings} {case_variants}.")
    })
}

/// A note on replies without recorded usage, when rules read spending.
fn estimated(plan: &Plan, traces: &[&Trace]) -> Option<String> {
    let mut readings = plan.rules.iter().flat_map(|rule| rule.readings());
    readings.find(|reading| reading.fact.is_estimated_usage())?;
    let sum = |of: fn(&Trace) -> u64| traces.iter().map(|trace| of(trace)).sum::<u64>();
    let (estimated, calls) = (sum(|trace| trace.spent.estimated), sum(|trace| trace.spent.calls));
    (estimated > 0).then(|| {
        format!(
            "Spending is estimated for {estimated} of {calls} replies without recorded usage, at prices without a cache."
        )
    })
}
