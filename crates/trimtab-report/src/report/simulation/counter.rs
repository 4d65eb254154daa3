//! Notes on the token counter.

use trimtab_base::quantity::{Decimal, percent};
use trimtab_simulate::simulate::{ContentError, Counting, OverheadSource, Trace};

use crate::report::number::plural;
use crate::report::replay_result::ReplayResult;

/// The error that matters for what a policy removes.
const ERROR: &str = "Error of estimated contents";

/// How it is measured.
const HOW: &str = "each growth of at least 1,000 tokens predicted from the calls before it";

/// How contexts were counted.
pub(super) fn method(counting: &Counting) -> &'static str {
    match counting.name {
        "reported" => "as reported by the provider, minus an estimate of what the policy removed",
        "recorded" => "as recorded",
        "exact" => "counted with the tokenizer of the model",
        _ => "estimated from characters",
    }
}

/// The error of the counter on one transcript, and what its counts leave out.
pub(super) fn of_one(trace: &Trace) -> Vec<String> {
    let counting = &trace.counter;
    let ContentError { median, calls } = counting.content;
    let error = match (median, counting.usage_points) {
        (Some(median), _) => format!("{ERROR}: {} (median of {}, {HOW}).", percent(median), plural(calls, "call")),
        (None, 0) => format!("{ERROR}: unknown, because no usage was recorded."),
        (None, _) => format!("{ERROR}: unknown, because no recorded context grew by 1,000 tokens."),
    };
    let missing = missing(counting.overhead).map(|what| {
        format!("Contexts lack {what}, whose size is unknown: set `overhead` in the policy's `agent` block.")
    });
    std::iter::once(error).chain(missing).collect()
}

fn missing(overhead: OverheadSource) -> Option<&'static str> {
    match overhead {
        OverheadSource::Missing { prompt: true, tools: true } => Some("the system prompt and the tool schemas"),
        OverheadSource::Missing { prompt: true, .. } => Some("the system prompt"),
        OverheadSource::Missing { .. } => Some("the tool schemas"),
        _ => None,
    }
}

/// The same over several transcripts.
pub(super) fn of_many(replays: &[ReplayResult]) -> Vec<String> {
    let replays = replays.iter().filter(|replay| replay.trace.call_count() > 0);
    let counters: Vec<&Counting> = replays.map(|replay| &replay.trace.counter).collect();
    let mut errors: Vec<Decimal> = counters.iter().filter_map(|counter| counter.content.median).collect();
    errors.sort_unstable();
    let unknown = counters.len() - errors.len();
    let mut lines = Vec::new();
    if let (Some(median), Some(most)) = (errors.get(errors.len() / 2), errors.last()) {
        let (median, most, known) = (percent(*median), percent(*most), plural(errors.len(), "transcript"));
        lines.push(format!("{ERROR}: {median} (median of {known}, at most {most}; {HOW})."));
    }
    if unknown > 0 {
        let unknown = plural(unknown, "transcript");
        lines.push(format!("{ERROR}: unknown for {unknown} without usage of calls that grew by 1,000 tokens."));
    }
    let lacking = counters.iter().filter(|counter| missing(counter.overhead).is_some()).count();
    if lacking > 0 {
        lines.push(format!(
            "Contexts of {} lack the system prompt, the tool schemas or both, whose size is unknown: set `overhead` in \
             the policy's `agent` block.",
            plural(lacking, "transcript")
        ));
    }
    lines
}
