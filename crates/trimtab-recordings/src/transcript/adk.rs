//! Sessions of the Agent Development Kit: an object with events, or JSON lines of events, each with a content as the Gemini
//! API has it.
//!
//! The events of all agents of a session are one conversation, in the order recorded.

use serde::Deserialize;
use trimtab_base::conversation::{Message, Role};

use super::gemini_contents::part::PartReader;
use super::gemini_contents::{parse_content, usage};
use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{Flag, List, Raw, Str};
use super::{Format, ReadError, Reader, Transcript, error, time};

/// Sessions of the Agent Development Kit.
pub(super) static ADK: Format = Format {
    name: "adk",
    title: "ADK sessions",
    summary: "sessions of the Agent Development Kit with their `events`, or JSON lines of events",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    let has_events = |record: &ShallowValue<'_>| {
        record.field("events").is_some_and(|events| events.elements(4).iter().any(is_event))
    };
    sample.records().iter().any(|record| is_event(record) || has_events(record))
}

fn is_event(record: &ShallowValue<'_>) -> bool {
    let is_invoked = record.has("invocationId") || record.has("invocation_id");
    record.has("author") && is_invoked && (record.has("content") || record.has("actions"))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireSession<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    events: List<'a>,
    author: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    author: Str<'a>,
    content: Option<Raw<'a>>,
    #[serde(alias = "usageMetadata")]
    usage_metadata: Option<Raw<'a>>,
    #[serde(alias = "modelVersion")]
    model_version: Str<'a>,
    timestamp: Option<Raw<'a>>,
    /// Whether it is a piece of a stream, which a later event repeats.
    partial: Flag,
    #[serde(alias = "errorCode")]
    error_code: Str<'a>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let (mut transcripts, mut bare) = (Vec::new(), Vec::new());
    for raw in input.deep_records(&mut skipped) {
        let session: WireSession<'_> = raw.object().unwrap_or_default();
        match session.events.0 {
            Some(events) => {
                let transcript = read_events(events, &mut skipped);
                transcripts.push(Transcript { id: session.id.as_str().to_owned(), ..transcript });
            }
            None if session.author.get().is_some() => bare.push(raw),
            None => skipped.count("record without events"),
        }
    }
    if !bare.is_empty() {
        transcripts.push(read_events(bare, &mut skipped));
    }
    error::with_skipped(transcripts, skipped, "adk", input)
}

fn read_events(events: Vec<Raw<'_>>, skipped: &mut Skipped) -> Transcript {
    let (mut messages, mut reader) = (Vec::new(), PartReader::default());
    for raw in events {
        if !skipped.accepts(&raw) {
            continue;
        }
        let event: Event<'_> = raw.object().unwrap_or_default();
        if event.partial.0 {
            skipped.count("partial event");
            continue;
        }
        let read = event.content.and_then(|content| parse_content(content, &mut reader)).unwrap_or_default();
        let count = messages.len();
        messages.extend(read.into_iter().filter_map(|message| complete(message, &event)));
        if messages.len() == count {
            let kind = event.error_code.non_empty().map(|code| format!("failed reply:{code}"));
            skipped.count(kind.as_deref().unwrap_or("event without content"));
        }
    }
    Transcript { messages: messages.into_iter().map(Into::into).collect(), ..Transcript::default() }
}

/// Returns a message with what its event says, or `None` for a reply without content and usage.
fn complete(message: Message, event: &Event<'_>) -> Option<Message> {
    let seconds = event.timestamp.and_then(Raw::parse::<f64>).and_then(time::from_seconds);
    let at = seconds.or_else(|| event.timestamp?.parse::<Str<'_>>()?.non_empty());
    let is_of_agent = event.author.as_str() != "user";
    match message.role {
        Role::Assistant => {
            let usage = usage(event.usage_metadata).filter(|usage| usage.total() > 0);
            let model = event.model_version.non_empty();
            (!message.parts.is_empty() || usage.is_some()).then_some(Message { usage, at, model, ..message })
        }
        // What an agent says to another one.
        Role::User => Some(Message { at, harness: message.harness || is_of_agent, ..message }),
        _ => Some(Message { at, ..message }),
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Usage;

    use crate::transcript;

    const EVENTS: &str = r#"[{"author":"user","invocation_id":"i","timestamp":1.5,"content":{"role":"user","parts":[{"text":"go"}]}},
        {"author":"fixer","invocation_id":"i","partial":true,"content":{"role":"model","parts":[{"text":"I"}]}},
        {"author":"fixer","invocation_id":"i","model_version":"gemini","usage_metadata":{"prompt_token_count":100,"cached_content_token_count":60,"candidates_token_count":5},
         "content":{"role":"model","parts":[{"function_call":{"id":"a","name":"ls","args":{}}},{"function_call":{"id":"b","name":"cat","args":{}}}]}},
        {"author":"fixer","invocation_id":"i","content":{"role":"user","parts":[{"function_response":{"id":"a","name":"ls","response":{"result":"x"}}},
         {"function_response":{"id":"b","name":"cat","response":{"error":"no"}}}]}},
        {"author":"fixer","invocation_id":"i","actions":{"state_delta":{}}}]"#;

    fn check(text: &str) {
        let file = transcript::read(text.as_bytes(), None).expect("reads");
        let read = &file.transcripts[0];
        let roles: String = read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect();
        assert_eq!((file.format, roles.as_str()), ("adk", "uatt"), "{text}");
        let usage = Usage { input: 40, cache_read: 60, output: 5, ..Usage::default() };
        assert_eq!((read.messages[1].usage, read.messages[1].model.as_deref()), (Some(usage), Some("gemini")));
        let errors: Vec<_> = read.messages.iter().flat_map(|one| one.results().map(|result| result.is_error)).collect();
        assert_eq!(errors, [false, true]);
        assert_eq!(read.started.as_deref(), Some("1970-01-01T00:00:01.500Z"));
        assert_eq!(
            (read.skipped.get("partial event"), read.skipped.get("event without content")),
            (Some(&1), Some(&1))
        );
    }

    #[test]
    fn events_are_messages_in_a_session_in_lines_and_with_either_spelling() {
        let session = format!(r#"{{"id":"s","app_name":"a","user_id":"u","state":{{}},"events":{EVENTS}}}"#);
        check(&session);
        let camel = [
            ("invocation_id", "invocationId"),
            ("model_version", "modelVersion"),
            ("usage_metadata", "usageMetadata"),
            ("prompt_token_count", "promptTokenCount"),
            ("cached_content_token_count", "cachedContentTokenCount"),
            ("candidates_token_count", "candidatesTokenCount"),
            ("function_call", "functionCall"),
            ("function_response", "functionResponse"),
        ];
        check(&camel.iter().fold(session, |text, (snake, camel)| text.replace(snake, camel)));
        let events: Vec<serde_json::Value> = serde_json::from_str(EVENTS).expect("JSON");
        check(&events.iter().map(|event| format!("{event}\n")).collect::<String>());
    }
}
