//! Anthropic Messages: bare lists, requests with their system prompt and tools, responses, and what Cline keeps.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::Skipped;
use super::wire::{self, Content, Count, Str};
use super::{Format, Peek, ReadError, Sample, Transcript, block, envelope, time};
use crate::conversation::{Message, Role, Usage};

/// Messages of the Anthropic API.
pub(super) static ANTHROPIC_MESSAGES: Format = Format {
    name: "anthropic_messages",
    summary: "messages of the Anthropic API: a list, a request or JSONL of either; also Cline's",
    sniff,
    read,
};

/// Kinds of blocks that no other provider's messages have.
const BLOCKS: [&str; 9] = [
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "mcp_tool_use",
    "document",
    "compaction",
    "container_upload",
];

fn sniff(sample: &Sample<'_>) -> bool {
    let is_response = |record: &Peek<'_>| record.word("type").as_deref() == Some("message") && record.has("role");
    let is_request = |record: &Peek<'_>| record.has("messages") && record.has("system");
    sample.records().iter().any(|record| is_request(record) || is_response(record))
        || sample.messages().iter().any(is_own)
}

fn is_own(message: &Peek<'_>) -> bool {
    let own = |block: Peek<'_>| match block.word("type").as_deref() {
        Some("image") => block.has("source"),
        Some(kind) => BLOCKS.contains(&kind),
        None => false,
    };
    message.has("role")
        && (message.has("modelInfo") || message.at("content").is_some_and(|list| list.items(40).into_iter().any(own)))
}

fn read(text: &str) -> Result<Vec<Transcript>, ReadError> {
    envelope::transcripts("anthropic_messages", text, transcript)
}

fn transcript(conversation: &envelope::Conversation<'_>, skipped: &mut Skipped) -> Transcript {
    let head = &conversation.head;
    let mut messages = Vec::new();
    for raw in &conversation.messages {
        match wire::object(raw).and_then(canonical) {
            Some(read) => messages.extend(read),
            None => skipped.count("message without a known role"),
        }
    }
    let reply = head.response.and_then(wire::object).and_then(canonical).and_then(|mut read| read.pop());
    let usage = block::usage(head.usage).or_else(|| reply.as_ref()?.usage);
    envelope::add_reply(&mut messages, reply, usage);
    let system = block::content(wire::parse_content(head.system.or(head.system_prompt)));
    envelope::add_system(&mut messages, system.into_messages(Role::System));
    head.transcript(messages)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    #[serde(borrow)]
    content: Content<'a>,
    #[serde(borrow)]
    model: Str<'a>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Str<'a>,
    ts: Count,
    #[serde(borrow, rename = "modelInfo")]
    model_info: Option<&'a RawValue>,
    #[serde(borrow)]
    metrics: Option<&'a RawValue>,
}

/// The messages of one recorded message; nothing when its role is unknown.
fn canonical(wire: Wire<'_>) -> Option<Vec<Message>> {
    let role = match wire.role.word() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    let mut messages = block::content(wire.content).into_messages(role);
    if messages.is_empty() {
        messages.push(Message::new(role, Vec::new()));
    }
    let at = wire.timestamp.name().or_else(|| wire.ts.0.and_then(time::from_millis));
    for message in &mut messages {
        message.at.clone_from(&at);
    }
    if let Some(reply) = messages.iter_mut().find(|message| message.role == Role::Assistant) {
        let info: Info<'_> = wire::parse_or_default(wire.model_info);
        reply.model = envelope::first_name(&[&wire.model, &info.id]);
        reply.usage = block::usage(wire.usage).or_else(|| metrics(wire.metrics));
    }
    Some(messages)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Info<'a> {
    #[serde(borrow)]
    id: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metrics {
    #[serde(rename = "inputTokens")]
    input: Count,
    #[serde(rename = "cacheReadTokens")]
    cache_read: Count,
    #[serde(rename = "cacheWriteTokens")]
    cache_write: Count,
    #[serde(rename = "outputTokens")]
    output: Count,
}

/// Usage as Cline counts it: the input includes what was read from and written to the cache.
fn metrics(raw: Option<&RawValue>) -> Option<Usage> {
    let metrics: Metrics = raw.and_then(wire::object)?;
    let (cache_read, cache_write) = (metrics.cache_read.or_zero(), metrics.cache_write.or_zero());
    let input = metrics.input.0?.saturating_sub(cache_read).saturating_sub(cache_write);
    Some(Usage { input, cache_read, cache_write, output: metrics.output.or_zero() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Arguments, Part};
    use crate::transcript;

    fn read_one(text: &str) -> Transcript {
        let mut reading = transcript::read(text.as_bytes(), None).expect("reads");
        assert_eq!((reading.format, reading.transcripts.len()), ("anthropic_messages", 1));
        reading.transcripts.remove(0)
    }

    #[test]
    fn a_request_with_system_tools_and_response_is_one_conversation() {
        let read = read_one(
            r#"{"model":"m","system":[{"type":"text","text":"Be brief."}],"tools":[{"name":"ls","input_schema":{}}],
            "messages":[{"role":"user","content":"hi"}],
            "response":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{"p":1}}],
            "usage":{"input_tokens":3,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"output_tokens":2}}}"#,
        );
        let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant]);
        assert_eq!(read.messages[2].usage, Some(Usage { input: 3, cache_read: 5, cache_write: 7, output: 2 }));
        assert_eq!(read.messages[2].parts, [Part::call("a", "ls", Arguments::Json(serde_json::json!({"p": 1})))]);
        assert_eq!((read.model.as_deref(), read.tools[0].name.as_str()), (Some("m"), "ls"));
    }

    #[test]
    fn cline_counts_the_cache_inside_the_input() {
        let read = read_one(
            r#"{"sessionId":"s","messages":[{"role":"user","ts":0,"content":[{"type":"file","path":"a"}]},
            {"role":"assistant","content":"ok","modelInfo":{"id":"x"},
            "metrics":{"inputTokens":100,"cacheReadTokens":90,"outputTokens":4,"cacheWriteTokens":0}}]}"#,
        );
        assert_eq!(read.messages[1].usage, Some(Usage { input: 10, cache_read: 90, cache_write: 0, output: 4 }));
        assert_eq!((read.id.as_str(), read.model.as_deref()), ("s", Some("x")));
        assert_eq!(read.started.as_deref(), Some("1970-01-01T00:00:00.000Z"));
    }

    #[test]
    fn messages_of_unknown_roles_are_counted() {
        let read = read_one(r#"{"system":null,"messages":[{"role":"user","content":null},{"role":"elf"},7]}"#);
        assert_eq!(read.messages.len(), 1);
        assert_eq!(read.skipped.get("message without a known role"), Some(&2));
    }
}
