//! Notes on the token counter.

use crate::model::MIN_POINTS;
use crate::quantity::{Decimal, percent};
use crate::report::number::plural;
use crate::report::replay_result::ReplayResult;
use crate::simulate::{Counting, OverheadSource, Trace};

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
    let error = match (counting.error, counting.usage_points) {
        (Some(error), points) => {
            format!(
                "Error of the token counter: {} (mean over {points} calls, each predicted from the calls before it).",
                percent(error)
            )
        }
        (None, 0) => "Error of the token counter: unknown, because no usage was recorded.".to_owned(),
        (None, points) => format!(
            "Error of the token counter: unknown, because usage was recorded for only {}; {MIN_POINTS} are needed.",
            plural(points, "call")
        ),
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
pub(crate) fn of_many(replays: &[ReplayResult]) -> Vec<String> {
    let replays = replays.iter().filter(|replay| replay.trace.call_count() > 0);
    let counters: Vec<&Counting> = replays.map(|replay| &replay.trace.counter).collect();
    let mut errors: Vec<Decimal> = counters.iter().filter_map(|counter| counter.error).collect();
    errors.sort_unstable();
    let unknown = counters.len() - errors.len();
    let mut lines = Vec::new();
    if let (Some(median), Some(most)) = (errors.get(errors.len() / 2), errors.last()) {
        let (median, most, known) = (percent(*median), percent(*most), plural(errors.len(), "transcript"));
        lines.push(format!(
            "Error of the token counter: {median} (median of {known}, at most {most}; each call is predicted from the calls \
             before it)."
        ));
    }
    if unknown > 0 {
        let unknown = plural(unknown, "transcript");
        lines.push(format!(
            "Error of the token counter: unknown for {unknown} with usage for fewer than {MIN_POINTS} calls."
        ));
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
