//! OpenClaw telemetry: JSON lines of events of several sessions.
//!
//! The event at the end of an agent run contains the messages of its session so far, as pi records them, and the event at the
//! start of a run may contain those before it. Each session becomes a transcript of its own.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Role};

use super::pi::entry::parse_message;
use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{Count, List, Raw, Str, Text};
use super::{Format, ReadError, Reader, Transcript, error, time};

/// Telemetry files of OpenClaw.
pub(super) static OPENCLAW: Format = Format {
    name: "openclaw",
    title: "OpenClaw telemetry",
    summary: "telemetry events in JSON lines; each session becomes a transcript",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

const OWN_EVENTS: [&str; 6] = ["message.in", "message.out", "agent.start", "agent.end", "tool.start", "tool.end"];

fn sniff(sample: &Sample<'_>) -> bool {
    let is_event = |record: &ShallowValue<'_>| {
        let is_own = record.string("type").is_some_and(|kind| OWN_EVENTS.contains(&kind.as_ref()));
        is_own && (record.has("seq") && record.has("ts") || record.has("sessionKey"))
    };
    sample.records().iter().any(is_event)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(rename = "sessionKey")]
    session_key: Str<'a>,
    ts: Count,
    prompt: Text,
    content: Text,
    messages: List<'a>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut events: Vec<Event<'_>> = Vec::new();
    for line in input.records(&mut skipped) {
        match line.parse() {
            Some(event) if line.is_object() => events.push(event),
            Some(_) => skipped.count("non-object record"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    if !events.iter().any(|event| OWN_EVENTS.contains(&event.kind.as_str())) {
        return Err(error::no_record("openclaw", input));
    }
    let mut transcripts = sessions(&events, &mut skipped);
    if transcripts.is_empty() {
        transcripts.push(channel(&events, &mut skipped));
    }
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Ok(transcripts)
}

/// The transcripts of the sessions whose agents ran, in the order in which they begin. Counts all other events.
fn sessions(events: &[Event<'_>], skipped: &mut Skipped) -> Vec<Transcript> {
    let mut sessions: Vec<PartialSession<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::default();
    let ends = |event: &&Event<'_>| event.kind.as_str() == "agent.end" && event.messages.0.is_some();
    let ended: HashSet<&str> = events.iter().filter(ends).map(|event| event.session_key.as_str()).collect();
    for event in events {
        let (kind, key) = (event.kind.get().unwrap_or("record without a type"), event.session_key.as_str());
        if !matches!(kind, "agent.start" | "agent.end") {
            // Without sessions, they are the conversation.
            if !matches!(kind, "message.in" | "message.out") {
                skipped.count(kind);
            }
            continue;
        }
        let at = *places.entry(key).or_insert_with(|| {
            sessions.push(PartialSession { key: SmolStr::new(key), ..PartialSession::default() });
            sessions.len() - 1
        });
        match (kind, event.messages.0.as_deref()) {
            ("agent.end", Some(messages)) => sessions[at].add(messages, skipped),
            ("agent.end", None) => skipped.count(kind),
            (_, Some(messages)) if !messages.is_empty() && !ended.contains(key) => {
                sessions[at].add(messages, skipped);
                sessions[at].begin_run(event);
            }
            _ => sessions[at].begin_run(event),
        }
    }
    let transcripts: Vec<_> = sessions
        .into_iter()
        .map(|session| {
            let has_ended = ended.contains(session.key.as_str());
            session.into_transcript(has_ended)
        })
        .collect();
    if !transcripts.is_empty() {
        for event in events.iter().filter(|event| matches!(event.kind.as_str(), "message.in" | "message.out")) {
            skipped.count(event.kind.as_str());
        }
    }
    transcripts
}

/// The conversation of a channel, for a file without sessions.
fn channel(events: &[Event<'_>], skipped: &mut Skipped) -> Transcript {
    let mut messages = Vec::new();
    for event in events {
        let role = match event.kind.as_str() {
            "message.in" => Role::User,
            "message.out" => Role::Assistant,
            _ => continue,
        };
        match event.content.0.clone().filter(|text| !text.is_empty()) {
            Some(text) => messages.push(Message { at: event.at(), ..Message::text(role, text) }),
            None => skipped.count(event.kind.as_str()),
        }
    }
    transcript(SmolStr::default(), messages)
}

impl Event<'_> {
    fn at(&self) -> Option<SmolStr> {
        self.ts.0.and_then(time::from_millis)
    }
}

/// A session.
#[derive(Default)]
struct PartialSession<'a> {
    key: SmolStr,
    /// The prompts of its runs, for a session without messages.
    prompts: Vec<Message>,
    messages: Vec<Message>,
    /// The recorded messages of the context.
    context: Vec<&'a str>,
    /// All recorded messages so far.
    seen: HashSet<&'a str>,
}

impl<'a> PartialSession<'a> {
    fn begin_run(&mut self, event: &Event<'_>) {
        let Some(prompt) = event.prompt.0.clone().filter(|text| !text.is_empty()) else { return };
        let message = Message { at: event.at(), ..Message::text(Role::User, prompt) };
        // Several events may announce one run.
        if self.prompts.last().is_none_or(|last| last.parts != message.parts) {
            self.prompts.push(message);
        }
    }

    /// Adds the messages that follow those of an earlier list. If the list begins differently, the context was reset.
    fn add(&mut self, messages: &[Raw<'a>], skipped: &mut Skipped) {
        let texts: Vec<&str> = messages.iter().map(|raw| raw.get()).collect();
        let continues = texts.starts_with(&self.context);
        let first = if continues { self.context.len() } else { 0 };
        let mut resets = !continues;
        for raw in messages.iter().skip(first) {
            let is_copy = !self.seen.insert(raw.get());
            let Some(mut message) = parse_message(*raw, skipped) else { continue };
            if is_copy && message.role != Role::User {
                // No call of the model made it.
                skipped.count("copied message");
                continue;
            }
            message.harness |= is_copy;
            message.resets = std::mem::take(&mut resets);
            self.messages.push(message);
        }
        self.context = texts;
    }

    fn into_transcript(self, has_ended: bool) -> Transcript {
        let Self { key, prompts, mut messages, .. } = self;
        if messages.is_empty() {
            return transcript(key, prompts);
        }
        // The messages at the start of a run do not contain its prompt.
        messages.extend(prompts.into_iter().next_back().filter(|_| !has_ended));
        transcript(key, messages)
    }
}

fn transcript(key: SmolStr, messages: Vec<Message>) -> Transcript {
    Transcript {
        id: key.to_string(),
        agent: Some(key).filter(|key| key.contains(":subagent:")),
        messages: messages.into_iter().map(Arc::new).collect(),
        ..Transcript::default()
    }
}

#[cfg(test)]
mod tests;
