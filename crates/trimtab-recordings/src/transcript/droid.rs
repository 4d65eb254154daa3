//! Sessions of Factory Droid: JSON lines, a header and messages with blocks as Anthropic has them.
//!
//! Usage and the model are recorded for the whole session, in a settings file beside it, so that no reply has usage. A
//! compaction resets the context with its summary.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Compaction, Message, Role};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Content, Fields, Raw, Str, Text, TokenCount};
use super::{Format, ReadError, Reader, Transcript, block, compaction, error};

/// Session files of Factory Droid.
pub(super) static DROID: Format = Format {
    name: "droid",
    title: "Factory Droid sessions",
    summary: "session files under `~/.factory/sessions`",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

/// The beginning of texts that Droid adds to a prompt.
const REMINDER: &str = "<system-reminder>";

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_session_record)
}

fn is_session_record(record: &ShallowValue<'_>) -> bool {
    let has_call = |message: ShallowValue<'_>| {
        ["\"tool_use\"", "\"tool_result\""].iter().any(|kind| message.mentions("content", kind))
    };
    match record.string("type").as_deref() {
        Some("session_start") => {
            record.has("id") && (record.has("cwd") || record.has("title")) || record.has("session")
        }
        // A session whose header is missing.
        Some("message") => record.has("timestamp") && record.field("message").is_some_and(has_call),
        Some("compaction_state") => record.has("timestamp"),
        _ => false,
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    id: Str<'a>,
    timestamp: Str<'a>,
    cwd: Str<'a>,
    session: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    message: WireMessage<'a>,
    /// The summary of a compaction.
    #[serde(rename = "summaryText")]
    summary_text: Text,
    summary: Option<Raw<'a>>,
    #[serde(rename = "tokensBefore")]
    tokens_before: TokenCount,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    model: Str<'a>,
    usage: Option<Raw<'a>>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut session = PartialSession::default();
    for raw in input.records(&mut session.skipped) {
        match raw.parse::<Line<'_>>() {
            Some(line) if raw.is_object() => session.add(line),
            Some(_) => session.skipped.count("non-object record"),
            None => session.skipped.count(record::BROKEN_LINE),
        }
    }
    if !session.has_record {
        return Err(error::no_record("droid", input));
    }
    Ok(vec![session.into_transcript()])
}

/// A session so far.
#[derive(Default)]
struct PartialSession {
    id: String,
    directory: Option<SmolStr>,
    messages: Vec<Message>,
    /// A compaction before the next message that is not a tool result.
    pending_compaction: Option<Compaction>,
    has_record: bool,
    skipped: Skipped,
}

impl PartialSession {
    fn add(&mut self, line: Line<'_>) {
        let kind = line.kind.get().unwrap_or("record without a type");
        self.has_record |= matches!(kind, "session_start" | "message" | "compaction_state");
        match kind {
            "session_start" => {
                self.directory = line.cwd.non_empty();
                let nested: Fields<'_> = wire::parse_or_default(line.session);
                let nested = nested.get("id").and_then(Raw::parse::<Str<'_>>).unwrap_or_default();
                line.id.get().or_else(|| nested.get()).unwrap_or_default().clone_into(&mut self.id);
            }
            "message" => self.add_message(line),
            "compaction_state" => self.compact(&line),
            kind => self.skipped.count(kind),
        }
    }

    fn add_message(&mut self, line: Line<'_>) {
        let at = line.timestamp.non_empty();
        let WireMessage { role, content, model, usage } = line.message;
        let role = match role.as_str() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            role => return self.skipped.count(&format!("message:{role}")),
        };
        let messages = block::parse_content(content).into_messages(role);
        if messages.is_empty() {
            return self.skipped.count("message without content");
        }
        for mut message in messages {
            message.at.clone_from(&at);
            message.harness = message.role == Role::User && is_from_harness(&message);
            if message.role == Role::Assistant {
                message.model = model.non_empty();
                message.usage = block::usage(usage).filter(|usage| usage.total() > 0);
            }
            self.push(message);
        }
    }

    /// Begins the context again with a summary. Droid does not record who asked for it.
    fn compact(&mut self, line: &Line<'_>) {
        let tokens = line.tokens_before.0.filter(|tokens| *tokens > 0);
        self.pending_compaction = Some(Compaction { tokens, ..Compaction::default() });
        let fields: Fields<'_> = line.summary.and_then(Raw::object).unwrap_or_default();
        let nested = ["body", "text", "content"].iter().find_map(|key| fields.get(key)?.text());
        let text = line.summary_text.0.clone().or_else(|| line.summary?.text()).or(nested);
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.push(Message { at: line.timestamp.non_empty(), harness: true, ..Message::text(Role::User, text) });
        }
    }

    fn push(&mut self, mut message: Message) {
        compaction::mark_first(&mut message, &mut self.pending_compaction);
        self.messages.push(message);
    }

    fn into_transcript(self) -> Transcript {
        Transcript {
            id: self.id,
            directory: self.directory,
            messages: self.messages.into_iter().map(Into::into).collect(),
            skipped: self.skipped.0,
            ..Transcript::default()
        }
    }
}

/// Whether the message has text, all of it written by Droid.
fn is_from_harness(message: &Message) -> bool {
    let mut texts = message.parts.iter().filter_map(|part| match &part.body {
        Body::Text(text) => Some(text.trim_start()),
        _ => None,
    });
    texts.next().is_some_and(|text| text.starts_with(REMINDER)) && texts.all(|text| text.starts_with(REMINDER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript;

    fn read_one(lines: &[&str]) -> Transcript {
        let mut file = transcript::read(lines.join("\n").as_bytes(), None).expect("reads");
        assert_eq!((file.format, file.transcripts.len()), ("droid", 1));
        file.transcripts.remove(0)
    }

    const START: &str = r#"{"type":"session_start","id":"s","title":"t","cwd":"/w"}"#;
    const CALL: &str = r#"{"type":"message","id":"b","parentId":"a","timestamp":"t2","message":{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"LS","input":{}}]}}"#;
    const RESULT: &str = r#"{"type":"message","id":"d","parentId":"b","timestamp":"t3","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"x","is_error":true}]}}"#;

    #[test]
    fn blocks_are_read_with_their_calls_and_results() {
        let reminder = r#"{"type":"message","id":"a","timestamp":"t1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>x"}]}}"#;
        let todo = r#"{"type":"todo_state","id":"e","timestamp":"t4"}"#;
        let read = read_one(&[START, reminder, CALL, RESULT, todo]);
        let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
        assert!(read.messages[0].harness && read.messages[2].results().all(|result| result.is_error));
        assert_eq!((read.id.as_str(), read.started.as_deref()), ("s", Some("t1")));
        assert_eq!(read.skipped.get("todo_state"), Some(&1));
        assert_eq!(read_one(&[CALL, RESULT]).messages.len(), 2, "without a header");
    }

    #[test]
    fn a_compaction_resets_the_context_with_its_summary() {
        let summaries =
            [r#""summary":{"title":"x","body":"So far."}"#, r#""summaryText":"So far.""#, r#""summary":"So far.""#];
        for summary in summaries {
            let line = format!(r#"{{"type":"compaction_state","timestamp":"t",{summary}}}"#);
            let read = read_one(&[START, CALL, RESULT, &line]);
            let last = read.messages.last().expect("a summary");
            assert_eq!((last.plain_text().as_str(), last.resets, last.harness), ("So far.", true, true));
            assert!(last.compaction().is_some());
        }
    }
}
