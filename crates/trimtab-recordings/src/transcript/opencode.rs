//! Sessions that `opencode export` writes: one object with `info` and `messages`, each message with parts. What OpenCode itself
//! stores is read as such exports (`host::read_stored_sessions`).
//!
//! A recorded reply may hold several steps. A step is one model call and becomes a message of its own, followed by the
//! results of its calls. Exports with redacted ids repeat them; a repeated call id gets a number, so that each result
//! answers its own call.

mod message;
mod part;

use serde::Deserialize;

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Count, List, Str};
use super::{Format, ReadError, Reader, Transcript, error, time};

/// Exported sessions of OpenCode.
pub(super) static OPENCODE: Format = Format {
    name: "opencode",
    title: "OpenCode sessions",
    summary: "the database `opencode.db`, or what `opencode export` writes",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_export)
}

fn is_export(record: &ShallowValue<'_>) -> bool {
    let Some(messages) = record.field("messages") else { return false };
    let is_session = |info: ShallowValue<'_>| info.string("id").is_some_and(|id| id.starts_with("ses_"));
    match messages.elements(1).first() {
        Some(message) => message.has("info") && message.has("parts"),
        None => record.field("info").is_some_and(is_session),
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Export<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    info: SessionInfo<'a>,
    messages: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SessionInfo<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(rename = "parentID")]
    parent_id: Str<'a>,
    directory: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    time: Time,
}

/// Times in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct Time {
    created: Count,
    start: Count,
    end: Count,
    /// When OpenCode cleared the result of a call.
    compacted: Count,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for record in input.deep_records(&mut skipped) {
        match record.parse::<Export<'_>>() {
            Some(export) if record.is_object() && export.messages.0.is_some() => {
                transcripts.push(read_session(&export, &mut skipped));
            }
            Some(_) => skipped.count("record without messages"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "opencode", input)
}

fn read_session(export: &Export<'_>, skipped: &mut Skipped) -> Transcript {
    let mut builder = message::MessageBuilder::default();
    for raw in export.messages.0.iter().flatten() {
        builder.add(*raw, skipped);
    }
    let (messages, harness_calls) = builder.finish(skipped);
    let info = &export.info;
    Transcript {
        id: info.id.as_str().to_owned(),
        agent: info.parent_id.non_empty().and_then(|_| info.id.non_empty()),
        started: info.time.created.0.and_then(time::from_millis),
        directory: info.directory.non_empty(),
        messages: messages.into_iter().map(Into::into).collect(),
        harness_calls,
        ..Transcript::default()
    }
}

#[cfg(test)]
mod tests;
