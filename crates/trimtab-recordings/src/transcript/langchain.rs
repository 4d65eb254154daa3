//! `LangChain` messages as its serialisers write them, and runs of `LangSmith`.
//!
//! Messages are in a list, in an object with `messages`, or on lines. The model calls among the runs of `LangSmith` each
//! carry all their messages, so that a conversation is put together from what is new in each call (see `history`).

mod message;
mod run;

use trimtab_base::conversation::Message;

use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{Fields, Raw, Str};
use super::{Format, ReadError, Reader, Transcript, error, line};

/// Messages of `LangChain` and runs of `LangSmith`.
pub(super) static LANGCHAIN: Format = Format {
    name: "langchain",
    title: "LangChain",
    summary: "messages of LangChain, serialised, as dictionaries or flat, in a list, an object with `messages` or JSON lines, \
              and runs of LangSmith",
    sniff,
    reader: Reader::File(read),
    line: Some(|text| line::by_key(text, &["messages"], &["run_type", "type", "role"])),
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    let is_record = |record: &ShallowValue<'_>| {
        record.has("run_type") && record.has("inputs")
            || is_message(record)
            || record.elements(2).iter().any(is_message)
    };
    sample.records().iter().any(is_record) || sample.messages().iter().any(is_message)
}

fn is_message(message: &ShallowValue<'_>) -> bool {
    let is_typed = || matches!(message.string("type").as_deref(), Some("human" | "ai" | "AIMessageChunk"));
    let has_content = || message.has("content") || message.field("data").is_some_and(|data| data.has("content"));
    message.has("lc") && message.has("kwargs") || is_typed() && has_content()
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let (mut transcripts, mut bare, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    for raw in input.deep_records(&mut skipped) {
        let fields: Fields<'_> = raw.object().unwrap_or_default();
        if fields.get("run_type").is_some() {
            runs.push(raw);
        } else if let Some(messages) = list_of_messages(raw, &fields) {
            transcripts.push(conversation(&messages, &fields, &mut skipped));
        } else if fields.get("type").is_some() || fields.get("role").is_some() {
            bare.push(raw);
        } else {
            skipped.count("record without messages");
        }
    }
    if !bare.is_empty() {
        transcripts.push(conversation(&bare, &Fields::default(), &mut skipped));
    }
    if !runs.is_empty() {
        transcripts.extend(run::read(&runs, &mut skipped));
    }
    error::with_skipped(transcripts, skipped, "langchain", input)
}

/// The messages in a list, or in an object around one: a state of `LangGraph`, or what a chain returns.
fn list_of_messages<'a>(raw: Raw<'a>, fields: &Fields<'a>) -> Option<Vec<Raw<'a>>> {
    if raw.is_array() && !raw.is_empty_list() {
        return Some(raw.elements().collect());
    }
    let nested = ["values", "channel_values", "input", "output"].into_iter().filter_map(|key| fields.get(key));
    let nested: Vec<Fields<'a>> = nested.filter_map(Raw::object).collect();
    let mut lists = std::iter::once(fields).chain(&nested).filter_map(|fields| fields.get("messages"));
    lists.find(|raw| raw.is_array()).map(|raw| raw.elements().collect())
}

fn conversation(raw: &[Raw<'_>], fields: &Fields<'_>, skipped: &mut Skipped) -> Transcript {
    let id = |key| fields.get(key).and_then(Raw::parse::<Str<'_>>).and_then(|id| id.non_empty());
    Transcript {
        id: ["thread_id", "session_id", "id"].into_iter().find_map(id).map(String::from).unwrap_or_default(),
        messages: read_messages(raw, skipped).into_iter().map(Into::into).collect(),
        ..Transcript::default()
    }
}

/// Reads messages, and counts what is none.
fn read_messages(raw: &[Raw<'_>], skipped: &mut Skipped) -> Vec<Message> {
    let mut messages = Vec::new();
    for raw in raw.iter().filter(|raw| skipped.accepts(raw)).collect::<Vec<_>>() {
        match message::parse(*raw) {
            Some(read) => messages.extend(read),
            None => skipped.count("message of an unknown type"),
        }
    }
    messages
}

#[cfg(test)]
mod tests;
