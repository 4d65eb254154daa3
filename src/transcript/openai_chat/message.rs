//! One chat message.

use serde::Deserialize;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use crate::conversation::{Arguments, Body, Message, Part, Role, ToolResult, Usage};
use crate::transcript::wire::{self, Content, Count, Fields, Flag, List, Str, Words};
use crate::transcript::{block, envelope, image, time};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    #[serde(borrow)]
    content: Content<'a>,
    reasoning_content: Words,
    reasoning: Words,
    #[serde(borrow)]
    refusal: Str<'a>,
    #[serde(borrow)]
    tool_calls: List<'a>,
    #[serde(borrow)]
    function_call: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: Str<'a>,
    #[serde(borrow)]
    name: Str<'a>,
    is_error: Flag,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Str<'a>,
    #[serde(borrow)]
    timestamp: Str<'a>,
    #[serde(borrow)]
    created_at: Str<'a>,
    ts: Count,
}

/// Reads a message; nothing when it has no role.
pub(super) fn read(raw: &RawValue) -> Option<Message> {
    let mut wire: Wire<'_> = wire::object(raw)?;
    let role = role(wire.role.get()?);
    let mut bodies = block::bodies(std::mem::take(&mut wire.content), body);
    bodies.retain(|body| !matches!(body, Body::Text(text) if text.is_empty()));
    let parts = if role == Role::Tool { vec![result(&wire, bodies)] } else { parts(&wire, bodies) };
    let mut message = Message::new(role, parts);
    message.at = envelope::first_name(&[&wire.timestamp, &wire.created_at]).or_else(|| time::from_millis(wire.ts.0?));
    if role == Role::Assistant {
        message.model = wire.model.name();
        message.usage = usage(wire.usage);
    }
    Some(message)
}

fn role(word: &str) -> Role {
    match word {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "tool" | "function" => Role::Tool,
        _ => Role::Assistant,
    }
}

fn result(wire: &Wire<'_>, bodies: Vec<Body>) -> Part {
    let (text, attachments) = block::text_and_rest(bodies);
    let id = SmolStr::new(wire.tool_call_id.word());
    let result = ToolResult { id, name: wire.name.name(), text, attachments, is_error: wire.is_error.0 };
    Part::new(Body::ToolResult(Box::new(result)))
}

/// Reasoning first, then what is said, then the calls.
fn parts(wire: &Wire<'_>, bodies: Vec<Body>) -> Vec<Part> {
    let reasoning = [&wire.reasoning_content, &wire.reasoning].into_iter().find_map(|words| words.0.clone());
    let thinking = reasoning.filter(|text| !text.is_empty()).map(|text| Body::Thinking { text, signature: None });
    let refusal = wire.refusal.get().filter(|text| !text.is_empty()).map(|text| Body::Text(text.into()));
    let calls = wire.tool_calls.0.iter().flatten().copied();
    let legacy = wire.function_call.and_then(wire::object::<Function<'_>>).map(|function| function.call(""));
    let calls = calls.map(call).chain(legacy);
    thinking.into_iter().chain(bodies).chain(refusal).chain(calls).map(Part::new).collect()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(borrow)]
    function: Option<&'a RawValue>,
    #[serde(borrow)]
    custom: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

impl Function<'_> {
    fn call(&self, id: &str) -> Body {
        let arguments = self.arguments.or(self.args).or(self.input);
        let arguments = arguments.map_or_else(|| Arguments::Text("".into()), |raw| wire::arguments(Some(raw)));
        Body::ToolCall { id: SmolStr::new(id), name: SmolStr::new(self.name.word()), arguments }
    }
}

/// A call: its function stands in an object, or its name and arguments stand beside the id.
fn call(raw: &RawValue) -> Body {
    let Some(call) = wire::object::<Call<'_>>(raw) else {
        return Body::Other(Box::new(wire::value(raw)));
    };
    let nested = call.function.or(call.custom);
    let object = nested.filter(|raw| wire::is_object(raw)).unwrap_or(raw);
    let mut function: Function<'_> = wire::object(object).unwrap_or_default();
    if let Some(name) = nested.filter(|raw| wire::is_string(raw)).and_then(wire::parse) {
        function.name = name;
    }
    function.call(call.id.word())
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Piece<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    text: Words,
    refusal: Words,
    #[serde(borrow)]
    image_url: Option<&'a RawValue>,
}

fn body(raw: &RawValue) -> Body {
    if wire::is_string(raw) {
        return Body::Text(wire::parse::<Words>(raw).and_then(|words| words.0).unwrap_or_default());
    }
    wire::object(raw).and_then(known).unwrap_or_else(|| Body::Other(Box::new(image::without_data(wire::value(raw)))))
}

fn known(piece: Piece<'_>) -> Option<Body> {
    match piece.kind.word() {
        "text" | "input_text" | "output_text" => piece.text.0.map(Body::Text),
        "refusal" => piece.refusal.0.map(Body::Text),
        "image_url" | "input_image" => picture(piece.image_url?),
        _ => None,
    }
}

fn picture(raw: &RawValue) -> Option<Body> {
    let inner = wire::object::<Fields<'_>>(raw).and_then(|fields| fields.get("url"));
    let url: Str<'_> = wire::parse(inner.unwrap_or(raw))?;
    url.get().map(image::from_url)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct UsageWire<'a> {
    prompt_tokens: Count,
    completion_tokens: Count,
    #[serde(borrow)]
    prompt_tokens_details: Option<&'a RawValue>,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Details {
    cached_tokens: Count,
}

/// Usage as OpenAI counts it: the prompt includes what was read from the cache, and with litellm what was written.
pub(super) fn usage(raw: Option<&RawValue>) -> Option<Usage> {
    let raw = raw?;
    let wire: UsageWire<'_> = wire::object(raw)?;
    let Some(prompt) = wire.prompt_tokens.0 else {
        return block::usage(Some(raw)).filter(|usage| usage.total() > 0);
    };
    let details: Details = wire::parse_or_default(wire.prompt_tokens_details);
    let cache_read = details.cached_tokens.0.or(wire.cache_read_input_tokens.0).unwrap_or_default().min(prompt);
    let cache_write = wire.cache_creation_input_tokens.or_zero().min(prompt - cache_read);
    let input = prompt - cache_read - cache_write;
    Some(Usage { input, cache_read, cache_write, output: wire.completion_tokens.or_zero() })
}
