//! Model calls in spans.

use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Body, Message, Part, Role, Usage};

use super::attribute::Attributes;
use super::message;
use super::span::Span;
use crate::transcript::wire::Indexed;
use crate::transcript::{Tool, tool, usage, vercel};

/// The attributes with the messages of a call, in each convention.
const INPUTS: [&str; 4] = ["gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "gen_ai.request.messages"];

/// The attributes with the reply of a call, in each convention.
const OUTPUTS: [&str; 3] = ["gen_ai.output.messages", "gen_ai.completion", "llm.output_messages"];

/// Returns the messages that a call sent.
pub(super) fn input(span: &Span) -> Vec<Message> {
    let attributes = &span.attributes;
    let mut messages: Vec<_> = match attributes.text(&["ai.prompt.messages"]) {
        Some(text) => vercel::read_model_messages(text),
        None => INPUTS
            .iter()
            .map(|key| message::read(attributes.value(key), Role::User))
            .find(|read| !read.is_empty())
            .unwrap_or_default(),
    };
    if messages.is_empty() {
        messages = event_messages(span, false);
    }
    let instructions = attributes.value("gen_ai.system_instructions").map(message::read_content).unwrap_or_default();
    if !instructions.is_empty() && messages.first().is_none_or(|first| first.role != Role::System) {
        messages.insert(0, Message::new(Role::System, instructions.into_iter().map(Part::new).collect()));
    }
    for message in &mut messages {
        message.at.clone_from(&span.start.text);
    }
    messages
}

/// Returns the reply of a call with its usage. It has no parts if they were not recorded.
pub(super) fn reply(span: &Span) -> Option<Message> {
    let attributes = &span.attributes;
    let mut parts = vercel_parts(attributes);
    if parts.is_empty() {
        let outputs = OUTPUTS.iter().map(|key| message::read(attributes.value(key), Role::Assistant));
        let read = outputs.into_iter().find(|read| !read.is_empty()).unwrap_or_else(|| event_messages(span, true));
        parts = read.into_iter().filter(|read| read.role == Role::Assistant).flat_map(|read| read.parts).collect();
    }
    let usage = usage(attributes);
    if parts.is_empty() && usage.is_none() {
        return None;
    }
    let model = attributes.short_text(&[
        "gen_ai.response.model",
        "ai.response.model",
        "gen_ai.request.model",
        "llm.model_name",
        "ai.model.id",
    ]);
    Some(Message { usage, model, at: span.end.text.clone(), ..Message::new(Role::Assistant, parts) })
}

/// The reply in the attributes of the Vercel AI SDK.
fn vercel_parts(attributes: &Attributes) -> Vec<Part> {
    let text = |keys: &[&str]| attributes.text(keys);
    let thinking = text(&["ai.response.reasoning"]).map(|text| Body::Thinking { text: text.into(), signature: None });
    let content = text(&["ai.response.text", "ai.response.object"]).map(|text| Body::Text(text.into()));
    let calls = text(&["ai.response.toolCalls"]).map(vercel::read_calls).unwrap_or_default();
    thinking.into_iter().chain(content).chain(calls).map(Part::new).collect()
}

/// The messages in the events of a span: those sent, or the reply.
fn event_messages(span: &Span, is_reply: bool) -> Vec<Message> {
    let mut messages = Vec::new();
    for (name, attributes) in &span.events {
        let role = match name.as_str() {
            "gen_ai.system.message" => Role::System,
            "gen_ai.user.message" | "gen_ai.content.prompt" => Role::User,
            "gen_ai.tool.message" => Role::Tool,
            "gen_ai.assistant.message" | "gen_ai.choice" | "gen_ai.content.completion" => Role::Assistant,
            _ => continue,
        };
        if matches!(name.as_str(), "gen_ai.choice" | "gen_ai.content.completion") != is_reply {
            continue;
        }
        let listed = ["gen_ai.prompt", "gen_ai.completion"].iter().find_map(|key| attributes.value(key));
        messages.extend(message::read(listed.or_else(|| Some(event_message(attributes, role))), role));
    }
    messages
}

/// The message in an event of its own. A field may be text of JSON.
fn event_message(attributes: &Attributes, role: Role) -> Json {
    let inner = attributes.value("message").or_else(|| attributes.value("gen_ai.event.content"));
    if let Some(inner @ Json::Object(_)) = inner {
        return inner;
    }
    let mut message = json!({ "role": role.word() });
    for key in ["content", "tool_calls", "id", "name"] {
        if let Some(value) = attributes.value(key) {
            message[key] = value;
        }
    }
    message
}

/// The usage of a call. The input includes the cache, unless it is smaller.
fn usage(attributes: &Attributes) -> Option<Usage> {
    let input = attributes.tokens(&[
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "llm.token_count.prompt",
        "llm.usage.prompt_tokens",
        "ai.usage.inputTokens",
        "ai.usage.promptTokens",
    ]);
    let output = attributes.tokens(&[
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "llm.token_count.completion",
        "llm.usage.completion_tokens",
        "ai.usage.outputTokens",
        "ai.usage.completionTokens",
    ]);
    let cache_read = attributes.tokens(&[
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.input_tokens.cached",
        "llm.token_count.prompt_details.cache_read",
        "ai.usage.cachedInputTokens",
        "ai.usage.inputTokenDetails.cacheReadTokens",
    ]);
    let cache_write = attributes.tokens(&[
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "llm.token_count.prompt_details.cache_write",
        "ai.usage.inputTokenDetails.cacheWriteTokens",
    ]);
    if input.0.is_none() && output.0.is_none() {
        return None;
    }
    Some(usage::usage([input, cache_read, cache_write, output], |[all, cache_read, cache_write, output]| {
        let input = all.checked_sub(cache_read + cache_write).unwrap_or(all);
        Usage { input, cache_read, cache_write, output, ..Usage::default() }
    }))
}

/// The tools that a call declared.
pub(super) fn tools(attributes: &Attributes) -> Vec<Tool> {
    let keys = ["gen_ai.tool.definitions", "llm.tools", "llm.request.functions", "ai.prompt.tools"];
    let Some(Json::Array(declared)) = keys.iter().find_map(|key| attributes.value(key)) else { return Vec::new() };
    let tools: Json = declared.into_iter().map(declaration).collect();
    tool::parse_tools(Indexed::of(&tools.to_string()).as_ref().map(Indexed::raw))
}

/// A declaration without what wraps it, and with the name of its schema that other formats use.
fn declaration(json: Json) -> Json {
    let json = match json {
        Json::String(text) => super::attribute::parse_text(&text),
        json => json,
    };
    let inner = ["tool.json_schema", "json_schema"].iter().find_map(|key| json.get(key));
    let inner = inner.or_else(|| json.get("tool")?.get("json_schema")).cloned();
    let mut tool = match inner {
        Some(Json::String(text)) => super::attribute::parse_text(&text),
        Some(inner) => inner,
        None => json,
    };
    if let Some(schema) = tool.get_mut("inputSchema").map(Json::take) {
        tool["parameters"] = schema;
    }
    tool
}
