//! Gemini CLI sessions: a document with messages, or JSON lines that change a list of messages.
//!
//! A message of the model contains its calls with their results, which become messages of their own (see `message`). In
//! JSON lines, a message may be repeated with more content, removed, or replaced (see `timeline`), and what stays after a
//! compression is written again (see `kept`).

mod kept;
mod message;
mod timeline;

use std::sync::Arc;

use serde::Deserialize;

use self::message::Builder;
use self::timeline::Timeline;
use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{List, Raw, Str};
use super::{Format, ReadError, Reader, Transcript, error};

/// Session files of Gemini CLI.
pub(super) static GEMINI_CHAT: Format = Format {
    name: "gemini_chat",
    title: "Gemini CLI sessions",
    summary: "session files under `~/.gemini/tmp/*/chats`",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_session_record)
}

fn is_session_record(record: &ShallowValue<'_>) -> bool {
    record.has("sessionId") && record.has("projectHash")
        || record.has("$rewindTo")
        || record.string("type").as_deref() == Some("gemini") && record.has("id")
}

/// The header of a session, or a message.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Record<'a> {
    #[serde(borrow, rename = "sessionId")]
    session_id: Str<'a>,
    #[serde(rename = "startTime")]
    start_time: Str<'a>,
    kind: Str<'a>,
    messages: List<'a>,
    #[serde(rename = "$set")]
    set: Option<Raw<'a>>,
    #[serde(rename = "$rewindTo")]
    rewind_to: Str<'a>,
    #[serde(rename = "type")]
    message_type: Str<'a>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcript = Transcript::default();
    let mut timeline = Timeline::default();
    let mut has_record = false;
    for raw in input.deep_records(&mut skipped) {
        let Some(record) = raw.object::<Record<'_>>() else {
            skipped.count("non-object record");
            continue;
        };
        if let Some(id) = record.rewind_to.get() {
            timeline.rewind_to(id, &mut skipped);
        } else if let Some(set) = record.set.and_then(Raw::object::<Record<'_>>) {
            timeline.set(set.messages.0.unwrap_or_default(), &mut skipped);
        } else if record.message_type.get().is_some() {
            timeline.add(raw, &mut skipped);
        } else if record.session_id.get().is_some() {
            add_header(&mut transcript, &record);
            timeline.begin();
            timeline.set(record.messages.0.unwrap_or_default(), &mut skipped);
        } else {
            skipped.count("record without a type");
            continue;
        }
        has_record = true;
    }
    if !has_record {
        return Err(error::no_record("gemini_chat", input));
    }
    let mut builder = Builder::new(skipped);
    let mut left = timeline.left.into_iter().peekable();
    for (at, entry) in timeline.entries.iter().enumerate() {
        while let Some((_, raw)) = left.next_if(|(before, _)| *before <= at) {
            builder.add_left(raw);
        }
        builder.add(entry);
    }
    left.for_each(|(_, raw)| builder.add_left(raw));
    let (messages, harness_calls, skipped) = builder.finish();
    Ok(vec![Transcript {
        messages: messages.into_iter().map(Arc::new).collect(),
        harness_calls,
        skipped: skipped.0,
        ..transcript
    }])
}

fn add_header(transcript: &mut Transcript, header: &Record<'_>) {
    transcript.id = header.session_id.as_str().into();
    transcript.started = transcript.started.take().or_else(|| header.start_time.non_empty());
    transcript.agent = header.session_id.non_empty().filter(|_| header.kind.as_str() == "subagent");
}

#[cfg(test)]
mod tests;
