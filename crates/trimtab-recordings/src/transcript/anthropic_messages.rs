//! Anthropic messages: message lists, requests with system prompt and tools, responses, and the files that Cline
//! writes.

mod applied_edits;
mod cline;

use serde::Deserialize;
use trimtab_base::conversation::{Body, Message, Role};

use super::record::Skipped;
use super::request_records::RecordApi;
use super::sample::{Sample, ShallowValue};
use super::wire::{Content, Count, Raw, Str};
use super::{Format, HarnessCall, Reader, Transcript, block, envelope, openai_chat, time};

/// Requests, responses and messages of the Anthropic Messages API.
pub(super) static ANTHROPIC_MESSAGES: Format = Format {
    name: "anthropic_messages",
    title: "Anthropic messages",
    summary: "a list of messages, a request with `messages` and optionally `system`, `tools` and `response`, JSON lines of \
              either, or a Cline task",
    sniff,
    reader: Reader::Records(RecordApi {
        is_response,
        is_message: is_anthropic_message,
        goes_first: false,
        read: read_conversation,
    }),
    line: Some(envelope::line),
    quirks: &[],
};

/// The most tools of a request that are looked at.
const MAX_TOOLS: usize = 40;

/// Content block types that no other supported format uses.
const OWN_BLOCKS: [&str; 9] = [
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
    let is_tool = |tool: ShallowValue<'_>| tool.has("input_schema");
    let is_chat = sample.messages().iter().any(openai_chat::has_own_field);
    let has_tools = |record: &ShallowValue<'_>| {
        record.field("tools").is_some_and(|tools| tools.elements(MAX_TOOLS).into_iter().any(is_tool))
    };
    let is_request =
        |record: &ShallowValue<'_>| record.has("messages") && (record.has("system") || has_tools(record) && !is_chat);
    // A request or a response may be a field of a record.
    let within = |record: &ShallowValue<'_>, key: &str, is: &dyn Fn(&ShallowValue<'_>) -> bool| {
        record.field(key).is_some_and(|inner| is(&inner))
    };
    let is_log = |record: &ShallowValue<'_>| {
        within(record, "response", &is_response)
            || within(record, "request", &is_request)
            || within(record, "body", &is_request)
            || envelope::invokes_anthropic(record)
    };
    sample.records().iter().any(|record| is_request(record) || is_response(record) || is_log(record))
        || sample.messages().iter().any(is_anthropic_message)
}

fn is_response(record: &ShallowValue<'_>) -> bool {
    record.string("type").as_deref() == Some("message") && record.has("role") || is_anthropic_message(record)
}

fn is_anthropic_message(message: &ShallowValue<'_>) -> bool {
    let is_own_block = |block: ShallowValue<'_>| match block.string("type").as_deref() {
        Some("image") => block.has("source"),
        Some(kind) => OWN_BLOCKS.contains(&kind),
        None => false,
    };
    let has_own_block = |content: ShallowValue<'_>| content.elements(40).into_iter().any(is_own_block);
    message.has("role") && (message.has("modelInfo") || message.field("content").is_some_and(has_own_block))
}

fn read_conversation(conversation: &envelope::RawConversation<'_>, skipped: &mut Skipped) -> Transcript {
    let envelope = &conversation.envelope;
    let (mut messages, mut harness_calls) = (Vec::new(), Vec::new());
    for raw in &conversation.messages {
        match parse_messages(*raw) {
            Some(read) => {
                harness_calls.extend(inner_calls(Some(*raw), messages.len()));
                messages.extend(read);
            }
            None => skipped.count("message without a known role"),
        }
    }
    let response = envelope.response.and_then(Raw::object);
    let reply = response.and_then(canonical_messages).unwrap_or_default();
    let reply = reply.into_iter().find(|message| message.role == Role::Assistant);
    let usage = block::usage(envelope.usage).or_else(|| reply.as_ref()?.usage);
    envelope.count_unread_response(reply.as_ref(), skipped);
    envelope.append_reply(&mut messages, reply, usage);
    applied_edits::add(&mut messages, envelope);
    let before = messages.len().saturating_sub(1);
    harness_calls.extend(inner_calls(envelope.response, before));
    harness_calls.extend(block::inner_calls(envelope.usage, before, None));
    let without_system = messages.len();
    envelope::prepend_system(&mut messages, envelope.system.or(envelope.system_prompt));
    for call in &mut harness_calls {
        call.messages += messages.len() - without_system;
    }
    Transcript { harness_calls, ..envelope.transcript(messages) }
}

/// The calls of the provider before a reply, which is a recorded message.
fn inner_calls(reply: Option<Raw<'_>>, messages: usize) -> Vec<HarnessCall> {
    let Some(wire) = reply.and_then(Raw::object::<WireMessage<'_>>) else { return Vec::new() };
    block::inner_calls(wire.usage, messages, wire.model.non_empty().as_ref())
}

/// Parses a recorded message into canonical ones. Returns `None` for an unknown role.
pub(super) fn parse_messages(raw: Raw<'_>) -> Option<Vec<Message>> {
    raw.object().and_then(canonical_messages)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    model: Str<'a>,
    usage: Option<Raw<'a>>,
    timestamp: Str<'a>,
    ts: Count,
    #[serde(rename = "modelInfo")]
    model_info: Option<Raw<'a>>,
    metrics: Option<Raw<'a>>,
}

/// Splits a recorded message into canonical ones. Returns `None` for an unknown role.
fn canonical_messages(wire: WireMessage<'_>) -> Option<Vec<Message>> {
    let role = match wire.role.as_str() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return None,
    };
    let mut messages = block::parse_content(wire.content).into_messages(role);
    if messages.is_empty() {
        messages.push(Message::new(role, Vec::new()));
    }
    let at = wire.timestamp.non_empty().or_else(|| wire.ts.0.and_then(time::from_millis));
    for message in &mut messages {
        message.at.clone_from(&at);
        for part in &mut message.parts {
            if let Body::ToolResult(result) = &mut part.body {
                cline::read_outcomes(result);
            }
        }
    }
    if let Some(reply) = messages.iter_mut().find(|message| message.role == Role::Assistant) {
        reply.model = wire.model.non_empty().or_else(|| cline::model(wire.model_info));
        reply.usage = block::usage(wire.usage).or_else(|| cline::usage(wire.metrics));
    }
    Some(messages)
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::{Arguments, Part, Usage};

    use super::*;
    use crate::transcript;

    fn read_one(text: &str) -> Transcript {
        let mut file = transcript::read(text.as_bytes(), None).expect("reads");
        assert_eq!((file.format, file.transcripts.len()), ("anthropic_messages", 1));
        file.transcripts.remove(0)
    }

    #[test]
    fn a_request_with_system_prompt_tools_and_response_is_one_conversation() {
        let read = read_one(
            r#"{"model":"m","system":[{"type":"text","text":"Be brief."}],"tools":[{"name":"ls","input_schema":{}}],
            "messages":[{"role":"user","content":"hi"}],
            "response":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{"p":1}}],
            "usage":{"input_tokens":3,"cache_read_input_tokens":5,"cache_creation_input_tokens":7,"output_tokens":2}}}"#,
        );
        let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant]);
        assert_eq!(
            read.messages[2].usage,
            Some(Usage { input: 3, cache_read: 5, cache_write: 7, output: 2, ..Usage::default() })
        );
        assert_eq!(read.messages[2].parts, [Part::call("a", "ls", Arguments::from(serde_json::json!({"p": 1})))]);
        assert_eq!((read.model.as_deref(), read.tools[0].name.as_str()), (Some("m"), "ls"));
    }

    #[test]
    fn a_compaction_by_the_provider_is_a_call_of_the_harness() {
        let read = read_one(
            r#"{"model":"m","system":"Be brief.","messages":[{"role":"user","content":"hi"}],
            "response":{"role":"assistant","model":"m","content":[{"type":"compaction","content":"They say hi."}],
            "usage":{"input_tokens":3,"output_tokens":2,"iterations":[
            {"type":"compaction","input_tokens":900,"cache_read_input_tokens":50,"output_tokens":40},
            {"type":"message","input_tokens":3,"output_tokens":2}]}}}"#,
        );
        let usage = Usage { input: 900, cache_read: 50, output: 40, ..Usage::default() };
        assert_eq!(read.messages[2].usage.map(Usage::context), Some(3));
        let kind = transcript::HarnessCallKind::Summary;
        assert_eq!(read.harness_calls, [HarnessCall { messages: 2, kind, usage, model: Some("m".into()) }]);
    }

    #[test]
    fn cline_input_tokens_include_the_cache() {
        let read = read_one(
            r#"{"sessionId":"s","messages":[{"role":"user","ts":0,"content":[{"type":"file","path":"a"}]},
            {"role":"assistant","content":"ok","modelInfo":{"id":"x"},
            "metrics":{"inputTokens":100,"cacheReadTokens":90,"outputTokens":4,"cacheWriteTokens":0}}]}"#,
        );
        assert_eq!(
            read.messages[1].usage,
            Some(Usage { input: 10, cache_read: 90, cache_write: 0, output: 4, ..Usage::default() })
        );
        assert_eq!((read.id.as_str(), read.model.as_deref()), ("s", Some("x")));
        assert_eq!(read.started.as_deref(), Some("1970-01-01T00:00:00.000Z"));
    }

    #[test]
    fn the_history_of_a_cline_task_is_a_list_with_times() {
        let read = read_one(
            r#"[{"role":"user","content":[{"type":"text","text":"<task>go</task>"}],"ts":1700000000000},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read_file","input":{"path":"x"}}],"ts":1700000001000},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"y"},{"type":"text","text":"env"}],"ts":1700000002000}]"#,
        );
        let at: Vec<_> = read.messages.iter().filter_map(|message| message.at.as_deref()).collect();
        let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::User]);
        assert_eq!((at.len(), at[1]), (4, "2023-11-14T22:13:21.000Z"));
    }

    #[test]
    fn messages_with_unknown_roles_are_skipped_and_counted() {
        let read = read_one(r#"{"system":null,"messages":[{"role":"user","content":null},{"role":"elf"},7]}"#);
        assert_eq!(read.messages.len(), 1);
        assert_eq!(read.skipped.get("message without a known role"), Some(&2));
    }

    #[test]
    fn results_of_cline_are_the_json_of_their_outcomes() {
        let read = read_one(
            r#"{"messages":[{"role":"user","content":"go","ts":1},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"run","input":{}}],"modelInfo":{"id":"m"}},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[
                {"query": "ls", "result": "x", "success": true}, {"query": "cd y", "result": "", "error": "no", "success": false}]}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":[{"query": "ls"}]}]}]}"#,
        );
        let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
        let text =
            r#"[{"query":"ls","result":"x","success":true},{"query":"cd y","result":"","error":"no","success":false}]"#;
        assert_eq!((results[0].text.as_ref(), results[0].is_error, results[0].attachments.len()), (text, true, 0));
        assert_eq!((results[1].text.as_ref(), results[1].is_error, results[1].attachments.len()), ("", false, 1));
    }
}
