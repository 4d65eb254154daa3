//! The Converse API of Amazon Bedrock: message lists, requests, their responses, and logs of model invocations.
//!
//! A block is an object with one key, which says what it is.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Role, ToolResult, Usage};

use super::record::Skipped;
use super::request_records::RecordApi;
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Content, Fields, Raw, Str, Text, TokenCount};
use super::{Format, Reader, Transcript, block, envelope, image, usage};

/// Requests, responses and messages of the Converse API.
pub(super) static BEDROCK: Format = Format {
    name: "bedrock",
    title: "Bedrock Converse",
    summary: "a list of messages, a request with `messages` and optionally `system`, `toolConfig` and the response, JSON lines \
              of either, or a log of model invocations",
    sniff,
    reader: Reader::Records(RecordApi {
        is_response,
        is_message: is_converse_message,
        goes_first: false,
        read: read_conversation,
    }),
    line: Some(envelope::line),
    quirks: &[],
};

/// The keys of blocks that no other supported format uses.
const OWN_BLOCKS: [&str; 4] = ["toolUse", "toolResult", "reasoningContent", "cachePoint"];

fn sniff(sample: &Sample<'_>) -> bool {
    let is_invocation =
        |record: &ShallowValue<'_>| envelope::is_bedrock_log(record) && !envelope::invokes_anthropic(record);
    sample.records().iter().any(is_invocation) || sample.messages().iter().any(is_converse_message)
}

fn is_response(response: &ShallowValue<'_>) -> bool {
    let body = response.field("outputBodyJson").and_then(|body| body.field("output"));
    let places = [Some(response.clone()), response.field("output"), body];
    let reply = places.into_iter().flatten().find_map(|place| place.field("message"));
    reply.as_ref().is_some_and(is_converse_message)
}

fn is_converse_message(message: &ShallowValue<'_>) -> bool {
    let blocks = message.field("content").map(|content| content.elements(40)).unwrap_or_default();
    let is_own = |block: &ShallowValue<'_>| OWN_BLOCKS.iter().any(|key| block.has(key));
    let is_text = |block: &ShallowValue<'_>| block.string("text").is_some();
    message.has("role")
        && blocks.iter().any(|block| is_own(block) || is_text(block))
        && blocks.iter().all(|block| !block.has("type") && !block.has("kind"))
}

fn read_conversation(conversation: &envelope::RawConversation<'_>, skipped: &mut Skipped) -> Transcript {
    let envelope = &conversation.envelope;
    let mut messages = Vec::new();
    for raw in &conversation.messages {
        match parse_messages(*raw) {
            Some(read) => messages.extend(read),
            None => skipped.count("message without a known role"),
        }
    }
    let response = Response::of(envelope.response, 0).or_else(|| Response::of(envelope.output, 0)).unwrap_or_default();
    let reply = response.message.and_then(parse_messages).unwrap_or_default();
    let reply = reply.into_iter().find(|message| message.role == Role::Assistant);
    envelope.count_unread_response(reply.as_ref(), skipped);
    let usage = converse_usage(response.usage).or_else(|| converse_usage(envelope.usage));
    envelope.append_reply(&mut messages, reply, usage);
    if let Some(system) = envelope.system {
        let parts = parse_parts(wire::parse_content(Some(system)));
        let system = parts.into_messages(Role::System);
        messages.splice(0..0, system);
    }
    envelope.transcript(messages)
}

/// The message and the usage of a response.
#[derive(Default)]
struct Response<'a> {
    message: Option<Raw<'a>>,
    usage: Option<Raw<'a>>,
}

impl<'a> Response<'a> {
    /// Finds them in a response, in its output, or in the log of an invocation.
    fn of(raw: Option<Raw<'a>>, depth: usize) -> Option<Self> {
        let fields: Fields<'a> = raw.and_then(Raw::object)?;
        let usage = fields.get("usage");
        if let Some(message) = fields.get("message") {
            return Some(Self { message: Some(message), usage });
        }
        let inner = fields.get("output").or_else(|| fields.get("outputBodyJson")).filter(|_| depth < 2)?;
        let found = Self::of(Some(inner), depth + 1)?;
        Some(Self { usage: found.usage.or(usage), ..found })
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    timestamp: Str<'a>,
    created_at: Str<'a>,
}

/// Splits a recorded message into canonical ones. Returns `None` for an unknown role.
fn parse_messages(raw: Raw<'_>) -> Option<Vec<Message>> {
    let wire: WireMessage<'_> = raw.object()?;
    let role = match wire.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => return None,
    };
    let mut messages = parse_parts(wire.content).into_messages(role);
    if messages.is_empty() {
        messages.push(Message::new(role, Vec::new()));
    }
    let at = wire.timestamp.non_empty().or_else(|| wire.created_at.non_empty());
    for message in &mut messages {
        message.at.clone_from(&at);
    }
    Some(messages)
}

fn parse_parts(content: Content<'_>) -> block::SplitContent {
    let mut split = block::SplitContent::default();
    for body in block::parse_parts(content, parse_block) {
        split.add(body);
    }
    split
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Block<'a> {
    text: Text,
    #[serde(borrow)]
    tool_use: Option<Raw<'a>>,
    tool_result: Option<Raw<'a>>,
    reasoning_content: Option<Raw<'a>>,
    image: Option<Raw<'a>>,
    json: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ToolBlock<'a> {
    #[serde(borrow)]
    tool_use_id: Str<'a>,
    name: Str<'a>,
    input: Option<Raw<'a>>,
    content: Content<'a>,
    status: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Reasoning<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    reasoning_text: ReasoningText<'a>,
    redacted_content: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ReasoningText<'a> {
    text: Text,
    #[serde(borrow)]
    signature: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Image<'a> {
    #[serde(borrow)]
    format: Str<'a>,
    source: Option<Raw<'a>>,
}

fn parse_block(raw: Raw<'_>) -> Body {
    block::parse_part(raw, parse_known_block)
}

fn parse_known_block(block: Block<'_>) -> Option<Body> {
    if let Some(text) = block.text.0 {
        return Some(Body::Text(text));
    }
    if let Some(call) = block.tool_use.and_then(Raw::object::<ToolBlock<'_>>) {
        let (id, name) = (SmolStr::new(call.tool_use_id.as_str()), SmolStr::new(call.name.as_str()));
        return Some(Body::ToolCall { id, name, arguments: wire::arguments(call.input) });
    }
    if let Some(result) = block.tool_result.and_then(Raw::object::<ToolBlock<'_>>) {
        let (text, attachments) = block::join_texts(block::parse_parts(result.content, parse_plain_block));
        let (id, is_error) = (SmolStr::new(result.tool_use_id.as_str()), result.status.as_str() == "error");
        return Some(Body::ToolResult(Box::new(ToolResult { id, name: None, text, attachments, is_error })));
    }
    if let Some(reasoning) = block.reasoning_content.and_then(Raw::object::<Reasoning<'_>>) {
        let ReasoningText { text, signature } = reasoning.reasoning_text;
        let signature = signature.get().or_else(|| reasoning.redacted_content.get()).filter(|text| !text.is_empty());
        return Some(Body::Thinking { text: text.0.unwrap_or_default(), signature: signature.map(Into::into) });
    }
    if let Some(json) = block.json {
        return Some(Body::Text(json.value().to_string().into()));
    }
    let image: Image<'_> = block.image.and_then(Raw::object)?;
    let kind = format!("image/{}", image.format.get().unwrap_or("*"));
    let source = image.source.and_then(Raw::object::<Fields<'_>>).unwrap_or_default();
    let data: Option<Str<'_>> = source.get("bytes").filter(|raw| raw.is_string()).and_then(Raw::parse);
    Some(match data.as_ref().and_then(Str::get) {
        Some(data) => image::from_data(&kind, data),
        None => image::without_size(&kind),
    })
}

/// Reads a block where calls and results cannot be.
fn parse_plain_block(raw: Raw<'_>) -> Body {
    block::parse_plain(raw, parse_block)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage {
    #[serde(rename = "inputTokens")]
    input: TokenCount,
    #[serde(rename = "outputTokens")]
    output: TokenCount,
    #[serde(rename = "cacheReadInputTokens")]
    cache_read: TokenCount,
    #[serde(rename = "cacheWriteInputTokens")]
    cache_write: TokenCount,
}

/// Usage of the Converse API: the input excludes cache reads and cache writes.
fn converse_usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let wire: WireUsage = raw.and_then(Raw::object)?;
    let recorded = [wire.input, wire.cache_read, wire.cache_write, wire.output];
    Some(usage::beside_cache(recorded)).filter(|usage| usage.total() > 0)
}

#[cfg(test)]
mod tests;
