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

/// Whether the counts may be far off.
pub(super) fn is_estimated(counting: &Counting) -> bool {
    !["reported", "recorded", "exact"].contains(&counting.name)
}

/// The error of the counter on one transcript.
pub(super) fn content_error(trace: &Trace) -> String {
    let ContentError { median, calls } = trace.counter.content;
    match (median, trace.counter.usage_points) {
        (Some(median), _) => format!("{ERROR}: {} (median of {}, {HOW}).", percent(median), plural(calls, "call")),
        (None, 0) => format!("{ERROR}: unknown, because no usage was recorded."),
        (None, _) => format!("{ERROR}: unknown, because no recorded context grew by 1,000 tokens."),
    }
}

/// What the counts of one transcript leave out.
pub(super) fn missing_overhead(trace: &Trace) -> Option<String> {
    let what = missing(trace.counter.overhead)?;
    Some(format!("Contexts lack {what}: set `overhead` in the `agent` block."))
}

fn missing(overhead: OverheadSource) -> Option<&'static str> {
    match overhead {
        OverheadSource::Missing { prompt: true, tools: true } => Some("the system prompt and the tool schemas"),
        OverheadSource::Missing { prompt: true, .. } => Some("the system prompt"),
        OverheadSource::Missing { .. } => Some("the tool schemas"),
        _ => None,
    }
}

/// The counters of transcripts with calls.
fn counters(replays: &[ReplayResult]) -> Vec<&Counting> {
    let replays = replays.iter().filter(|replay| replay.trace.call_count() > 0);
    replays.map(|replay| &replay.trace.counter).collect()
}

/// What the counts of several transcripts leave out, and how many of them are estimates.
pub(super) fn caveats(replays: &[ReplayResult]) -> Vec<String> {
    let counters = counters(replays);
    let transcripts = |number: usize| (number > 0).then(|| plural(number, "transcript"));
    let lacking = counters.iter().filter(|counter| missing(counter.overhead).is_some()).count();
    let estimated = counters.iter().filter(|counter| is_estimated(counter)).count();
    let lacking = transcripts(lacking).map(|transcripts| {
        format!("Contexts of {transcripts} lack the system prompt or the tools: set `overhead` in `agent`.")
    });
    let estimated =
        transcripts(estimated).map(|transcripts| format!("Tokens of {transcripts} are estimated from characters."));
    estimated.into_iter().chain(lacking).collect()
}

/// The errors of the counters of several transcripts.
pub(super) fn content_errors(replays: &[ReplayResult]) -> Vec<String> {
    let counters = counters(replays);
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
    lines
}
