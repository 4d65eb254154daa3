//! A message, in whatever way it was serialised.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult, Usage};

use crate::transcript::block::SplitContent;
use crate::transcript::wire::{self, Content, Fields, List, Raw, Str, Text, TokenCount};
use crate::transcript::{block, image, openai_chat, usage};

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    tool_calls: List<'a>,
    invalid_tool_calls: List<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    additional_kwargs: Additional<'a>,
    usage_metadata: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    response_metadata: ResponseMetadata<'a>,
    tool_call_id: Str<'a>,
    name: Str<'a>,
    status: Str<'a>,
}

/// What the provider returned beside the content.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Additional<'a> {
    #[serde(borrow)]
    tool_calls: List<'a>,
    reasoning_content: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResponseMetadata<'a> {
    #[serde(borrow)]
    model_name: Str<'a>,
    model: Str<'a>,
    token_usage: Option<Raw<'a>>,
    usage: Option<Raw<'a>>,
}

/// Reads a message; results in its content become messages of their own. Returns `None` when its type is unknown.
pub(super) fn parse(raw: Raw<'_>) -> Option<Vec<Message>> {
    let fields: Fields<'_> = raw.object()?;
    let kind = |raw: Raw<'_>| raw.parse::<Str<'_>>().and_then(|kind| kind.non_empty());
    let (kind, inner) = match (fields.get("kwargs"), fields.get("data")) {
        (Some(kwargs), _) => (fields.get("id").and_then(|id| kind(id.elements().last()?)), kwargs),
        (None, Some(data)) if data.is_object() => (fields.get("type").and_then(kind), data),
        _ => (fields.get("type").or_else(|| fields.get("role")).and_then(kind), raw),
    };
    let wire: WireMessage<'_> = inner.object()?;
    let role = parse_role(kind.as_deref()?, wire.role.as_str())?;
    Some(into_messages(wire, role))
}

/// The role of a message of this class, type or role.
fn parse_role(kind: &str, role: &str) -> Option<Role> {
    let kind = kind.trim_end_matches("Chunk").trim_end_matches("Message").to_lowercase();
    Some(match kind.as_str() {
        "human" | "user" => Role::User,
        "ai" | "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        "tool" | "function" => Role::Tool,
        "chat" if !role.is_empty() => return parse_role(role, ""),
        _ => return None,
    })
}

fn into_messages(mut wire: WireMessage<'_>, role: Role) -> Vec<Message> {
    let mut bodies = block::parse_parts(std::mem::take(&mut wire.content), parse_part);
    bodies.retain(|body| !matches!(body, Body::Text(text) if text.is_empty()));
    if role == Role::Tool {
        let (text, attachments) = block::join_texts(bodies);
        let id = SmolStr::new(wire.tool_call_id.as_str());
        let is_error = wire.status.as_str() == "error";
        let result = ToolResult { id, name: wire.name.non_empty(), text, attachments, is_error };
        return vec![Message::new(role, vec![Part::new(Body::ToolResult(Box::new(result)))])];
    }
    let calls = calls(&wire);
    if !calls.is_empty() {
        // The content repeats the calls with some providers.
        bodies.retain(|body| !matches!(body, Body::ToolCall { .. }));
    }
    let reasoning = wire.additional_kwargs.reasoning_content.0.clone().filter(|text| !text.is_empty());
    let thinking = reasoning.map(|text| Body::Thinking { text, signature: None });
    let mut split = SplitContent::default();
    for body in thinking.into_iter().chain(bodies).chain(calls) {
        match body {
            Body::ToolResult(result) => split.results.push(*result),
            other => split.rest.push(Part::new(other)),
        }
    }
    let mut messages = split.into_messages(role);
    if messages.is_empty() {
        messages.push(Message::new(role, Vec::new()));
    }
    if let Some(reply) = messages.iter_mut().find(|message| message.role == Role::Assistant) {
        let metadata = &wire.response_metadata;
        reply.model = metadata.model_name.non_empty().or_else(|| metadata.model.non_empty());
        reply.usage = parse_usage(wire.usage_metadata)
            .or_else(|| openai_chat::parse_usage(metadata.token_usage))
            .or_else(|| openai_chat::parse_usage(metadata.usage));
    }
    messages
}

/// The calls, valid or not; those that the provider returned if there are no others.
fn calls(wire: &WireMessage<'_>) -> Vec<Body> {
    let own = wire.tool_calls.0.iter().chain(&wire.invalid_tool_calls.0).flatten();
    let calls: Vec<_> = own.map(|raw| openai_chat::parse_call(*raw)).collect();
    if !calls.is_empty() {
        return calls;
    }
    wire.additional_kwargs.tool_calls.0.iter().flatten().map(|raw| openai_chat::parse_call(*raw)).collect()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    reasoning: Text,
    base64: Str<'a>,
    data: Str<'a>,
    url: Str<'a>,
    mime_type: Str<'a>,
    id: Str<'a>,
    name: Str<'a>,
    args: Option<Raw<'a>>,
}

/// Reads a block of `LangChain`, of Anthropic or of `OpenAI`.
fn parse_part(raw: Raw<'_>) -> Body {
    let own = raw.object::<WirePart<'_>>().and_then(parse_own_part);
    let own = own.or_else(|| Some(block::parse_block(raw)).filter(|body| !matches!(body, Body::Other(_))));
    own.unwrap_or_else(|| openai_chat::parse_part(raw))
}

fn parse_own_part(part: WirePart<'_>) -> Option<Body> {
    match part.kind.as_str() {
        "reasoning" => Some(Body::Thinking { text: part.reasoning.0?, signature: None }),
        "tool_call" => Some(Body::ToolCall {
            id: SmolStr::new(part.id.as_str()),
            name: SmolStr::new(part.name.as_str()),
            arguments: wire::arguments(part.args),
        }),
        "image" => {
            let media_type = part.mime_type.get().unwrap_or(image::ANY_TYPE);
            let data = part.base64.get().or(part.data.get());
            data.map(|data| image::from_data(media_type, data)).or_else(|| part.url.get().map(image::from_url))
        }
        _ => None,
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage {
    input_tokens: TokenCount,
    output_tokens: TokenCount,
    #[serde(deserialize_with = "wire::lenient")]
    input_token_details: InputDetails,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InputDetails {
    cache_read: TokenCount,
    cache_creation: TokenCount,
}

/// Usage of `LangChain`: the input includes the cache.
fn parse_usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let wire: WireUsage = raw.and_then(Raw::object)?;
    let details = wire.input_token_details;
    let recorded = [wire.input_tokens, details.cache_read, details.cache_creation, wire.output_tokens];
    Some(usage::with_larger_cache(recorded)).filter(|usage| usage.total() > 0)
}
