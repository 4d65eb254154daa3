//! Events of OpenHands: of version 0 as a list or in the `history` of evaluation records and of the output of the resolver, of
//! version 1 as a list, as JSON lines or in files of their own, perhaps with the state of the conversation.
//!
//! The actions of one response become one reply, with the calls, the usage and the model of that response. An
//! observation is the result of the call that caused it. A condensation with a summary begins the context anew,
//! with copies of the messages that it keeps; one without clears the forgotten results.

mod builder;
mod observation;
mod state;
mod version0;
mod version1;
mod view;

use std::borrow::Cow;

use serde::Deserialize;

use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, List, Raw, Str, TokenCount};
use super::{Format, ReadError, Reader, Transcript, error, first_model, line};
use builder::MessageBuilder;
use state::State;

/// Events of OpenHands.
pub(super) static OPENHANDS: Format = Format {
    name: "openhands",
    title: "OpenHands events",
    summary: "trajectories and evaluation records of OpenHands, and events of its SDK",
    sniff,
    reader: Reader::File(read),
    line: Some(|text| line::by_key(text, &["history"], &["action", "observation", "kind"])),
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(|record| is_event(record) || has_history(record) || state::is_state(record))
}

fn is_event(record: &ShallowValue<'_>) -> bool {
    let is_old = record.has("action") && record.has("args") || record.has("observation") && record.has("content");
    let kind = record.string("kind");
    record.has("source") && (is_old || kind.is_some_and(|kind| version1::KINDS.contains(&kind.as_ref())))
}

fn has_history(record: &ShallowValue<'_>) -> bool {
    let is_evaluation = record.has("metrics") && (record.has("instance_id") || record.has("issue"));
    let is_first_event = |history: ShallowValue<'_>| {
        let first = history.elements(1).pop();
        first.is_some_and(|first| is_event(&first) || first.elements(1).first().is_some_and(is_event))
    };
    record.field("history").map_or(is_evaluation && record.has("history"), is_first_event)
}

/// The object around a list of events.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Envelope<'a> {
    #[serde(borrow)]
    instance_id: Str<'a>,
    /// What the resolver worked on.
    #[serde(deserialize_with = "wire::lenient")]
    issue: Issue<'a>,
    history: List<'a>,
    metrics: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    metadata: Metadata<'a>,
    source: Str<'a>,
    action: Str<'a>,
    observation: Option<Raw<'a>>,
    kind: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Issue<'a> {
    #[serde(borrow)]
    owner: Str<'a>,
    repo: Str<'a>,
    number: Str<'a>,
}

impl Envelope<'_> {
    /// The id of the conversation: an instance of an evaluation, or an issue.
    fn id(&self) -> String {
        let Issue { owner, repo, number } = &self.issue;
        match (self.instance_id.get(), owner.get(), repo.get(), number.get()) {
            (Some(id), ..) => id.to_owned(),
            (None, Some(owner), Some(repo), Some(number)) => format!("{owner}/{repo}#{number}"),
            _ => String::new(),
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    llm_config: LlmConfig<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct LlmConfig<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    max_input_tokens: TokenCount,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    let (mut bare, mut states): (Vec<Raw<'_>>, Vec<State>) = (Vec::new(), Vec::new());
    for raw in input.deep_records(&mut skipped) {
        let envelope: Envelope<'_> = raw.object().unwrap_or_default();
        let is_event =
            envelope.action.get().is_some() || envelope.observation.is_some() || envelope.kind.get().is_some();
        match &envelope.history.0 {
            Some(history) => transcripts.push(read_events(&pairs(history), &envelope, None, &mut skipped)),
            None if is_event && envelope.source.get().is_some() => bare.push(raw),
            None if state::is_state(&ShallowValue::of(raw)) => states.push(State::of(raw)),
            // The oldest trajectories are lists of pairs.
            None if raw.is_array() => bare.extend(raw.elements()),
            None => skipped.count("record without events"),
        }
    }
    if !bare.is_empty() || !states.is_empty() {
        transcripts.push(read_events(&bare, &Envelope::default(), states.pop(), &mut skipped));
    }
    error::with_skipped(transcripts, skipped, "openhands", input)
}

/// The events of a history, of which the oldest contain pairs of an action and its observation.
fn pairs<'a>(history: &'a [Raw<'a>]) -> Cow<'a, [Raw<'a>]> {
    if history.iter().any(|raw| raw.is_array()) {
        let events = |raw: Raw<'a>| if raw.is_array() { raw.elements().collect() } else { vec![raw] };
        Cow::Owned(history.iter().flat_map(|raw| events(*raw)).collect())
    } else {
        Cow::Borrowed(history)
    }
}

fn read_events(events: &[Raw<'_>], envelope: &Envelope<'_>, state: Option<State>, skipped: &mut Skipped) -> Transcript {
    let mut builder = MessageBuilder::default();
    let State { id, model, window, metrics } = state.unwrap_or_default();
    builder.add_usages(&metrics);
    if let Some(metrics) = envelope.metrics {
        builder.add_usages(&metrics.value());
    }
    for raw in events {
        if !skipped.accepts(raw) {
            continue;
        }
        if !version1::add(*raw, &mut builder, skipped) {
            version0::add(*raw, &mut builder, skipped);
        }
    }
    let (messages, tools, harness_calls) = builder.finish(skipped);
    let messages: Vec<_> = messages.into_iter().map(Into::into).collect();
    let config = &envelope.metadata.llm_config;
    Transcript {
        id: id.map_or_else(|| envelope.id(), Into::into),
        model: first_model(&messages).or_else(|| config.model.non_empty()).or(model),
        window: config.max_input_tokens.0.filter(|window| *window > 0).or(window),
        tools,
        messages,
        harness_calls,
        ..Transcript::default()
    }
}

#[cfg(test)]
mod tests;
