//! Events of version 1, the SDK.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult};

use super::builder::{Condensation, MessageBuilder, Reply};
use super::observation::Observation;
use crate::transcript::record::Skipped;
use crate::transcript::wire::{self, Content, Count, List, Raw, Str, Text};
use crate::transcript::{Tool, block, image, openai_chat, time, tool};

/// The kinds of events.
pub(super) const KINDS: [&str; 12] = [
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
    "CondensationRequest",
    "CondensationSummaryEvent",
    "ConversationStateUpdateEvent",
    "ConversationErrorEvent",
    "PauseEvent",
];

#[derive(Deserialize, Default)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow)]
    kind: Str<'a>,
    id: Str<'a>,
    timestamp: Str<'a>,
    source: Str<'a>,
    system_prompt: Option<Raw<'a>>,
    /// What follows the system prompt and differs from conversation to conversation.
    dynamic_context: Option<Raw<'a>>,
    tools: Option<Raw<'a>>,
    llm_message: Option<Raw<'a>>,
    extended_content: Content<'a>,
    llm_response_id: Str<'a>,
    thought: Content<'a>,
    reasoning_content: Text,
    thinking_blocks: List<'a>,
    tool_name: Str<'a>,
    tool_call_id: Str<'a>,
    tool_call: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    observation: Observation<'a>,
    error: Text,
    rejection_reason: Text,
    forgotten_event_ids: List<'a>,
    summary: Text,
    summary_offset: Count,
    value: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct LlmMessage<'a> {
    #[serde(borrow)]
    content: Content<'a>,
    reasoning_content: Text,
    thinking_blocks: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    name: Str<'a>,
    arguments: Option<Raw<'a>>,
    function: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    image_urls: List<'a>,
}

/// Adds an event. Returns whether it is one of version 1.
pub(super) fn add(raw: Raw<'_>, builder: &mut MessageBuilder, skipped: &mut Skipped) -> bool {
    let event: Event<'_> = raw.object().unwrap_or_default();
    let Some(kind) = event.kind.get().map(SmolStr::new) else { return false };
    let at = event.timestamp.get().filter(|at| !at.is_empty()).map(time::from_naive);
    let id = SmolStr::new(event.id.as_str());
    match kind.as_str() {
        "SystemPromptEvent" => {
            builder.tools = tools(event.tools);
            let parts = [event.system_prompt, event.dynamic_context].into_iter().flatten().filter(|raw| !raw.is_null());
            let prompt = parts.map(|raw| Part::new(parse_part(raw))).collect();
            builder.push(id, Message { at, ..Message::new(Role::System, prompt) });
        }
        "MessageEvent" => add_message(event, at, builder),
        "ActionEvent" => builder.push_reply(reply(event, at)),
        "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
            builder.push_result(id, result(event), false, at);
        }
        "Condensation" => {
            let ids = event.forgotten_event_ids.0.iter().flatten();
            let forgotten = ids.filter_map(|raw| raw.parse::<Str<'_>>()?.non_empty()).collect();
            let response = event.llm_response_id.non_empty().unwrap_or_default();
            let (summary, offset) = (event.summary.0, event.summary_offset.0);
            builder.condense(Condensation { forgotten, summary, offset, response, at });
        }
        other => {
            // The state contains the usage of all responses so far.
            if let Some(value) = event.value {
                builder.add_usages(&value.value());
            }
            skipped.count(other);
        }
    }
    true
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolClass<'a> {
    #[serde(borrow)]
    title: Str<'a>,
    description: Str<'a>,
}

/// The declared tools. The SDK records the class of each, which has a title in place of a name, and no schema.
fn tools(raw: Option<Raw<'_>>) -> Vec<Tool> {
    let declared = tool::parse_tools(raw);
    if !declared.is_empty() {
        return declared;
    }
    let classes = raw.map(Raw::elements).into_iter().flatten().filter_map(Raw::object::<ToolClass<'_>>);
    let tools = classes.filter_map(|class| {
        Some(Tool {
            name: class.title.non_empty()?,
            description: class.description.get().map(Into::into),
            schema: None,
        })
    });
    tools.collect()
}

fn add_message(event: Event<'_>, at: Option<SmolStr>, builder: &mut MessageBuilder) {
    let message: LlmMessage<'_> = wire::parse_or_default(event.llm_message);
    let extended = parse(event.extended_content);
    let id = SmolStr::new(event.id.as_str());
    if event.source.as_str() == "agent" {
        let thinking = thinking(message.reasoning_content, &message.thinking_blocks);
        let parts = thinking.into_iter().chain(parse(message.content)).collect();
        let response = event.llm_response_id.non_empty().unwrap_or_default();
        builder.push_reply(Reply { event: id, response, parts, at, ..Reply::default() });
        return;
    }
    let harness = event.source.as_str() != "user";
    let parts = parse(message.content).into_iter().chain(extended).collect();
    builder.push(id, Message { at, harness, ..Message::new(Role::User, parts) });
}

/// The reasoning: the blocks of the provider, or the plain text.
fn thinking(text: Text, blocks: &List<'_>) -> Vec<Part> {
    let blocks: Vec<_> = blocks.0.iter().flatten().map(|raw| Part::new(block::parse_plain_block(*raw))).collect();
    if blocks.is_empty() {
        let text = text.0.filter(|text| !text.is_empty());
        return text.map(|text| Part::new(Body::Thinking { text, signature: None })).into_iter().collect();
    }
    blocks
}

/// The part of a response that an action contains.
fn reply(event: Event<'_>, at: Option<SmolStr>) -> Reply {
    let call: Call<'_> = wire::parse_or_default(event.tool_call);
    let inner: Call<'_> = wire::parse_or_default(call.function);
    let id = SmolStr::new(event.tool_call_id.as_str());
    let name = event.tool_name.non_empty().or_else(|| call.name.non_empty()).or_else(|| inner.name.non_empty());
    let arguments = wire::arguments(call.arguments.or(inner.arguments));
    let call = Part::call(id, name.unwrap_or_default(), arguments);
    let thinking = thinking(event.reasoning_content, &event.thinking_blocks);
    let parts = thinking.into_iter().chain(parse(event.thought)).chain([call]).collect();
    let event_id = SmolStr::new(event.id.as_str());
    let response = event.llm_response_id.non_empty().unwrap_or_default();
    Reply { event: event_id, response, parts, at, ..Reply::default() }
}

fn result(event: Event<'_>) -> ToolResult {
    let id = SmolStr::new(event.tool_call_id.as_str());
    let name = event.tool_name.non_empty();
    if let Some(text) = event.error.0 {
        return ToolResult { id, name, text, attachments: Vec::new(), is_error: true };
    }
    let mut observation = event.observation;
    let (content, output) = (std::mem::take(&mut observation.content), std::mem::take(&mut observation.output));
    let bodies = parse(content).into_iter().chain(parse(output)).map(|part| part.body);
    let (text, attachments) = block::join_texts(bodies.collect());
    let text = event.rejection_reason.0.unwrap_or_else(|| observation.sent_text(text));
    ToolResult { id, name, text, attachments, is_error: observation.has_failed() }
}

/// The parts of a content without empty texts.
fn parse(content: Content<'_>) -> Vec<Part> {
    let bodies = block::parse_parts(content, parse_part).into_iter();
    bodies.filter(|body| !matches!(body, Body::Text(text) if text.is_empty())).map(Part::new).collect()
}

/// Parses a text or an image, which has a list of URLs.
fn parse_part(raw: Raw<'_>) -> Body {
    let part: WirePart<'_> = raw.object().unwrap_or_default();
    let url = part.image_urls.0.iter().flatten().find_map(|raw| raw.text());
    match (part.kind.as_str(), url) {
        ("image", Some(url)) => image::from_url(&url),
        _ => block::parse_plain(raw, openai_chat::parse_part),
    }
}
