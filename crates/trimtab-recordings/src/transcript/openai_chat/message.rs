//! Parsing of one chat message and of usage.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult, Usage};

use crate::transcript::wire::{self, Content, Count, Fields, Flag, List, Raw, Str, Text, TokenCount};
use crate::transcript::{block, image, time, usage};

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    reasoning_content: Text,
    reasoning: Text,
    refusal: Str<'a>,
    tool_calls: List<'a>,
    function_call: Option<Raw<'a>>,
    tool_call_id: Str<'a>,
    name: Str<'a>,
    is_error: Flag,
    usage: Option<Raw<'a>>,
    model: Str<'a>,
    timestamp: Str<'a>,
    created_at: Str<'a>,
    ts: Count,
}

/// Parses a message. Returns `None` when it has no role.
pub(in crate::transcript) fn parse_message(raw: Raw<'_>) -> Option<Message> {
    let mut wire: WireMessage<'_> = raw.object()?;
    let role = parse_role(wire.role.get()?);
    let mut bodies = block::parse_parts(std::mem::take(&mut wire.content), parse_part);
    bodies.retain(|body| !matches!(body, Body::Text(text) if text.is_empty()));
    let parts = if role == Role::Tool { vec![result_part(&wire, bodies)] } else { message_parts(&wire, bodies) };
    let mut message = Message::new(role, parts);
    let recorded = wire.timestamp.non_empty().or_else(|| wire.created_at.non_empty());
    message.at = recorded.or_else(|| time::from_millis(wire.ts.0?));
    // It names a section of the system prompt.
    if role == Role::System
        && let Some(name) = wire.name.non_empty()
    {
        message.extra.insert("name".to_owned(), name.as_str().into());
    }
    if role == Role::Assistant {
        message.model = wire.model.non_empty();
        message.usage = parse_usage(wire.usage);
    }
    Some(message)
}

fn parse_role(name: &str) -> Role {
    match name {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "tool" | "function" => Role::Tool,
        _ => Role::Assistant,
    }
}

fn result_part(wire: &WireMessage<'_>, bodies: Vec<Body>) -> Part {
    let (text, attachments) = block::join_texts(bodies);
    let id = SmolStr::new(wire.tool_call_id.as_str());
    let result = ToolResult { id, name: wire.name.non_empty(), text, attachments, is_error: wire.is_error.0 };
    Part::new(Body::ToolResult(Box::new(result)))
}

/// The parts of a message: reasoning, content, refusal, calls.
fn message_parts(wire: &WireMessage<'_>, bodies: Vec<Body>) -> Vec<Part> {
    let reasoning = [&wire.reasoning_content, &wire.reasoning].into_iter().find_map(|text| text.0.clone());
    let thinking = reasoning.filter(|text| !text.is_empty()).map(|text| Body::Thinking { text, signature: None });
    let refusal = wire.refusal.get().filter(|text| !text.is_empty()).map(|text| Body::Text(text.into()));
    let calls = wire.tool_calls.0.iter().flatten().copied();
    let legacy = wire.function_call.and_then(Raw::object::<Function<'_>>).map(|function| function.into_call(""));
    let calls = calls.map(parse_call).chain(legacy);
    thinking.into_iter().chain(bodies).chain(refusal).chain(calls).map(Part::new).collect()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    function: Option<Raw<'a>>,
    custom: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    arguments: Option<Raw<'a>>,
    args: Option<Raw<'a>>,
    input: Option<Raw<'a>>,
}

impl Function<'_> {
    fn into_call(self, id: &str) -> Body {
        let arguments = wire::arguments(self.arguments.or(self.args).or(self.input));
        Body::ToolCall { id: SmolStr::new(id), name: SmolStr::new(self.name.as_str()), arguments }
    }
}

/// Parses a call. Name and arguments are in a nested object or beside the id.
pub(in crate::transcript) fn parse_call(raw: Raw<'_>) -> Body {
    let Some(call) = raw.object::<Call<'_>>() else {
        return Body::Other(Box::new(raw.value()));
    };
    let nested = call.function.or(call.custom);
    let object = nested.filter(|raw| raw.is_object()).unwrap_or(raw);
    let mut function: Function<'_> = object.object().unwrap_or_default();
    if let Some(name) = nested.filter(|raw| raw.is_string()).and_then(Raw::parse) {
        function.name = name;
    }
    function.into_call(call.id.as_str())
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    text: Text,
    refusal: Text,
    image_url: Option<Raw<'a>>,
}

/// Parses an element of the content.
pub(in crate::transcript) fn parse_part(raw: Raw<'_>) -> Body {
    block::parse_part(raw, parse_known_part)
}

fn parse_known_part(part: WirePart<'_>) -> Option<Body> {
    match part.kind.as_str() {
        "text" | "input_text" | "output_text" => part.text.0.map(Body::Text),
        "refusal" => part.refusal.0.map(Body::Text),
        "image_url" | "input_image" => parse_image(part.image_url?),
        _ => None,
    }
}

fn parse_image(raw: Raw<'_>) -> Option<Body> {
    let inner = raw.object::<Fields<'_>>().and_then(|fields| fields.get("url"));
    let url: Str<'_> = inner.unwrap_or(raw).parse()?;
    url.get().map(image::from_url)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage<'a> {
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    #[serde(borrow)]
    prompt_tokens_details: Option<Raw<'a>>,
    cache_read_input_tokens: TokenCount,
    cache_creation_input_tokens: TokenCount,
    /// What `DeepSeek` has read from its cache.
    prompt_cache_hit_tokens: TokenCount,
    total_tokens: TokenCount,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PromptTokensDetails {
    cached_tokens: TokenCount,
}

/// Usage as OpenAI records it: the prompt includes cache reads, and with `LiteLLM` also cache writes. What the total has
/// besides prompt and completion is output: Gemini leaves thoughts out of the completion.
pub(crate) fn parse_usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let raw = raw?;
    let wire: WireUsage<'_> = raw.object()?;
    if wire.prompt_tokens.0.is_none() {
        return block::usage(Some(raw)).filter(|usage| usage.total() > 0);
    }
    let details: PromptTokensDetails = wire::parse_or_default(wire.prompt_tokens_details);
    let cache_read = details.cached_tokens.or(wire.cache_read_input_tokens).or(wire.prompt_cache_hit_tokens);
    let (prompt, completion, total) = (wire.prompt_tokens, wire.completion_tokens, wire.total_tokens);
    let stated = usage::with_cache([prompt, cache_read, wire.cache_creation_input_tokens, completion]);
    let output = usage::usage([prompt, total], |[prompt, total]| Usage {
        output: stated.output.max(total.saturating_sub(prompt)),
        ..stated
    });
    Some(output)
}
