//! Histories as sections of a listing.

use trimtab_analysis::recording::{CallContent, CallHistory, ContentGroup, HeldPart, History};
use trimtab_base::conversation::Compaction;
use trimtab_base::quantity::percent;
use trimtab_simulate::simulate::{Call, OverheadSource, ResetCause, Trace};

use super::{HistoryPart, NamedHistory};
use crate::report::listing::{Column, Listing, Section};
use crate::report::number::{count, list, plural, whole};
use crate::report::replay_result::ReplayError;
use crate::report::result::HistoriesResult;

/// The most models that are named.
const MAX_MODELS: usize = 3;

/// The most characters of a preview in a row.
const MAX_PREVIEW: usize = 56;

/// Histories, and the errors of files that could not be read.
pub fn histories(all: &[NamedHistory], part: HistoryPart, errors: &[ReplayError]) -> Listing {
    let sections = all.iter().flat_map(|one| sections(one, part)).collect();
    let result = HistoriesResult::of(all, part, errors);
    Listing::new(sections, &result, &result.transcripts)
}

/// The sections of one transcript.
fn sections(one: &NamedHistory, part: HistoryPart) -> Vec<Section> {
    let history = &one.history;
    let mut sections = match part {
        HistoryPart::Calls => vec![calls(history)],
        HistoryPart::Content(call) => contents(history, call),
        HistoryPart::Tools => vec![tools(history)],
        HistoryPart::Largest => vec![largest("largest parts", &history.largest)],
    };
    sections.insert(0, Section { title: title(one), notes: counting(&history.trace), ..Section::default() });
    sections
}

fn title(one: &NamedHistory) -> String {
    let trace = &one.history.trace;
    let models: Vec<&str> = trace.models.iter().filter_map(|one| one.model.as_deref()).collect();
    let model = if models.is_empty() { String::new() } else { format!(", {}", list(&models, MAX_MODELS)) };
    let calls = plural(one.history.calls.len(), "model call");
    if trace.calls.is_empty() {
        return format!("{}: {calls}{model}", one.id);
    }
    let sums = trace.before();
    let largest = trace.calls.iter().find(|call| call.before == sums.peak);
    let share = largest.and_then(Call::recorded_ratio);
    let window = largest.and_then(|call| call.window).zip(share);
    let of = window.map(|(window, share)| format!(" ({} of {})", percent(share), count(window))).unwrap_or_default();
    // Another model may have a smaller window.
    let fuller = sums.peak_ratio.filter(|most| share.is_some_and(|share| *most > share));
    let fuller = fuller.map(|most| format!(", at most {} of a window", percent(most))).unwrap_or_default();
    format!("{}: {calls}, the context peaks at {} tokens{of}{fuller}{model}", one.id, count(sums.peak))
}

/// How sizes were obtained.
fn counting(trace: &Trace) -> Vec<String> {
    let contexts = match trace.counter.name {
        _ if trace.calls.is_empty() => return Vec::new(),
        "estimate" => "Sizes are estimated: the recording has no usage.".to_owned(),
        _ => "Contexts have the recorded size; sizes of messages are estimated.".to_owned(),
    };
    let missing = match trace.counter.overhead {
        OverheadSource::Missing { .. } => Some("The system prompt or the tool schemas are not recorded.".to_owned()),
        _ => None,
    };
    let history =
        "The recording begins in the middle of the session: the first contexts contain messages that it lacks.";
    let history = trace.observed.missing_history.then(|| history.to_owned());
    std::iter::once(contexts).chain(missing).chain(history).collect()
}

fn calls(history: &History) -> Section {
    let trace = &history.trace;
    let columns = vec![
        Column::number("call"),
        Column::number("context"),
        Column::number("of window"),
        Column::number("added"),
        Column::number("errors"),
        Column::text("added messages, tools called, edits of the harness"),
    ];
    let rows = history.calls.iter().zip(&trace.calls).enumerate().map(|(at, (call, size))| {
        let errors = if call.errors == 0 { String::new() } else { errors(call.errors, call.inferred_errors) };
        let share = size.recorded_ratio().map(percent).unwrap_or_default();
        vec![whole(at), count(size.before), share, count(call.added_tokens), errors, events(history, at, call)]
    });
    let (rows, notes) = (rows.collect(), after_last(history));
    Section { columns, rows, notes, ..Section::default() }
}

/// A number of errors, and how many of them are inferred.
fn errors(all: usize, inferred: usize) -> String {
    match inferred {
        0 => whole(all),
        inferred if inferred == all => format!("{} inferred", whole(all)),
        inferred => format!("{}, {} inferred", whole(all), whole(inferred)),
    }
}

/// What happened at a call.
fn events(history: &History, at: usize, call: &CallHistory) -> String {
    let added = call.added.iter().map(|(role, number)| match *role {
        "assistant" => plural(*number, "reply"),
        "tool" => plural(*number, "result"),
        role => plural(*number, &format!("{role} message")),
    });
    let tools = call.tools.iter().map(|(name, times)| match times {
        1 => name.to_string(),
        times => format!("{name} ×{times}"),
    });
    let tools: Vec<String> = tools.collect();
    let called = (!tools.is_empty()).then(|| format!("calls {}", tools.join(", ")));
    let added: Vec<String> = added.collect();
    edits(&history.trace, at).into_iter().chain([added.join(", ")]).chain(called).collect::<Vec<_>>().join("; ")
}

/// What the harness did before a call.
fn edits(trace: &Trace, at: usize) -> Vec<String> {
    let resets = trace.resets.iter().filter(|reset| reset.call == at).map(|reset| match reset.cause {
        ResetCause::Compaction(Compaction { automatic, tokens, after }) => {
            let kind = if automatic { "AUTOMATIC COMPACTION" } else { "COMPACTION" };
            let at = tokens.map(|tokens| format!(" at {} tokens", count(tokens))).unwrap_or_default();
            let to = after.map(|after| format!(" to about {}", count(after))).unwrap_or_default();
            format!("{kind}{at}{to}")
        }
        ResetCause::Cleared => "CONTEXT CLEARED".to_owned(),
        ResetCause::Unexplained => "UNEXPLAINED DROP".to_owned(),
    });
    let cleared = trace.clearings.iter().filter(|clearing| clearing.call == at).map(|clearing| {
        let assumed = if clearing.inferred { " (assumed)" } else { "" };
        let noun = if clearing.results == 1 { "RESULT" } else { "RESULTS" };
        format!("{} {noun} CLEARED{assumed}", whole(clearing.results))
    });
    resets.chain(cleared).collect()
}

/// What came after the last call.
fn after_last(history: &History) -> Vec<String> {
    let edits = edits(&history.trace, history.calls.len());
    if edits.is_empty() { edits } else { vec![format!("After the last call: {}.", edits.join("; "))] }
}

fn contents(history: &History, call: usize) -> Vec<Section> {
    let Some(content) = &history.content else {
        let calls = plural(history.calls.len(), "model call");
        let note = format!("There is no call {call}: the transcript has {calls}, counted from 0.");
        return vec![Section { notes: vec![note], ..Section::default() }];
    };
    let CallContent { roles, tools, largest: parts, .. } = content;
    let sent = history.trace.calls.get(call).map(|call| (call.before, call.overhead));
    let note = sent.map(|(tokens, overhead)| {
        let overhead = count(overhead);
        format!("Call {call}: {} tokens, {overhead} of them besides the listed messages.", count(tokens))
    });
    let mut first = groups("role", roles);
    first.notes.extend(note);
    let tools = (!tools.is_empty()).then(|| groups("results of", tools));
    std::iter::once(first).chain(tools).chain([largest("largest parts", parts)]).collect()
}

fn groups(name: &'static str, groups: &[ContentGroup]) -> Section {
    let columns = vec![Column::name(name), Column::number("messages"), Column::number("tokens")];
    let rows = groups.iter().map(|group| vec![group.name.to_string(), whole(group.messages), count(group.tokens)]);
    Section { columns, rows: rows.collect(), ..Section::default() }
}

fn tools(history: &History) -> Section {
    let columns = vec![
        Column::name("tool"),
        Column::number("calls"),
        Column::number("errors"),
        Column::number("tokens of results"),
        Column::number("in the last context"),
    ];
    let rows = history.tools.iter().map(|tool| {
        let errors = errors(tool.errors, tool.inferred_errors);
        let numbers = [whole(tool.calls), errors, count(tool.tokens), count(tool.final_tokens)];
        std::iter::once(tool.name.to_string()).chain(numbers).collect()
    });
    Section { columns, rows: rows.collect(), ..Section::default() }
}

fn largest(name: &'static str, parts: &[HeldPart]) -> Section {
    let counts_calls = parts.iter().any(|part| part.calls.is_some());
    let calls = counts_calls.then(|| Column::number("calls"));
    let columns = [Column::text(name), Column::number("message"), Column::number("tokens")].into_iter();
    let rows = parts.iter().map(|part| {
        let what = match &part.tool {
            Some(tool) => format!("{} ({tool})", part.kind),
            None if part.kind == "text" => format!("{} text", part.role),
            None => part.kind.to_owned(),
        };
        let calls = part.calls.map(whole);
        let cells = [what, whole(part.message), count(part.tokens)].into_iter().chain(calls);
        cells.chain([short(&part.preview)]).collect()
    });
    Section {
        columns: columns.chain(calls).chain([Column::text("begins with")]).collect(),
        rows: rows.collect(),
        ..Section::default()
    }
}

/// The beginning of a preview.
fn short(preview: &str) -> String {
    if preview.chars().count() <= MAX_PREVIEW {
        return preview.to_owned();
    }
    preview.chars().take(MAX_PREVIEW - 1).chain(['…']).collect()
}
