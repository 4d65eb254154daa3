//! Messages of Inspect logs, and the attachments that replace their long texts.

use std::borrow::Cow;
use std::cell::Cell;

use foldhash::HashMap;
use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult};

use crate::transcript::record::Skipped;
use crate::transcript::wire::{Content, Fields, Flag, Indexed, List, Raw, Str, Text};
use crate::transcript::{block, image, limit, openai_chat};

/// The prefixes of texts that name an attachment; old logs have the second.
const REFERENCES: [&str; 2] = ["attachment://", "tc://"];

/// The attachments of a sample, by hash, as raw strings.
pub(super) struct Attachments<'a> {
    texts: HashMap<Cow<'a, str>, Raw<'a>>,
    /// The bytes that further references may be replaced with, and the references that were not replaced.
    left: Cell<usize>,
    refused: Cell<u64>,
}

impl<'a> Attachments<'a> {
    pub(super) fn of(raw: Option<Raw<'a>>) -> Self {
        let fields: Fields<'a> = raw.and_then(Raw::object).unwrap_or_default();
        Self { texts: fields.0.into_iter().collect(), left: Cell::new(limit::MAX_ATTACHED), refused: Cell::new(0) }
    }

    /// How many references were not replaced, because the attached texts would have been too long together.
    pub(super) fn refused(&self) -> u64 {
        self.refused.take()
    }

    /// The text that a reference stands for.
    fn attached(&self, reference: &str) -> Option<Json> {
        let hash = REFERENCES.iter().find_map(|prefix| reference.strip_prefix(prefix))?;
        let attached = self.texts.get(hash)?;
        let Some(left) = self.left.get().checked_sub(attached.get().len()) else {
            self.refused.set(self.refused.get() + 1);
            return None;
        };
        self.left.set(left);
        Some(attached.value())
    }

    /// The JSON text of a value with the attached texts in place of references to them; `None` if it has no reference.
    pub(super) fn resolve(&self, raw: Raw<'_>) -> Option<String> {
        let has_reference = REFERENCES.iter().any(|prefix| raw.get().contains(prefix));
        (has_reference && !self.texts.is_empty()).then(|| {
            let mut json = raw.value();
            self.resolve_value(&mut json);
            json.to_string()
        })
    }

    fn resolve_value(&self, json: &mut Json) {
        match json {
            Json::String(text) => {
                if let Some(attached) = self.attached(text) {
                    *json = attached;
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.resolve_value(item)),
            Json::Object(map) => map.values_mut().for_each(|item| self.resolve_value(item)),
            _ => {}
        }
    }
}

/// A message and what the log says about it.
pub(super) struct LogMessage {
    pub(super) id: SmolStr,
    /// Where it comes from: `input` for the input of the sample.
    source: SmolStr,
    pub(super) message: Message,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    role: Str<'a>,
    source: Str<'a>,
    content: Content<'a>,
    tool_calls: List<'a>,
    tool_call_id: Str<'a>,
    function: Str<'a>,
    model: Str<'a>,
    error: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ToolError {
    message: Text,
}

/// Parses a message. Counts one without a known role as skipped.
pub(super) fn parse(raw: Raw<'_>, attachments: &Attachments<'_>, skipped: &mut Skipped) -> Option<LogMessage> {
    if !skipped.accepts(&raw) {
        return None;
    }
    let resolved = attachments.resolve(raw);
    let resolved = resolved.as_deref().and_then(Indexed::of);
    let raw = resolved.as_ref().map_or(raw, Indexed::raw);
    let parsed = raw.object::<WireMessage<'_>>().and_then(into_message);
    if parsed.is_none() {
        skipped.count("message without a known role");
    }
    parsed
}

/// Parses the input of a sample: a text or a list of messages.
pub(super) fn parse_input(
    raw: Option<Raw<'_>>,
    attachments: &Attachments<'_>,
    skipped: &mut Skipped,
) -> Vec<LogMessage> {
    let Some(raw) = raw.filter(|raw| skipped.accepts(raw)) else { return Vec::new() };
    let resolved = attachments.resolve(raw);
    let resolved = resolved.as_deref().and_then(Indexed::of);
    let raw = resolved.as_ref().map_or(raw, Indexed::raw);
    let input = |message| LogMessage { id: SmolStr::default(), source: "input".into(), message };
    match raw.text() {
        Some(text) => vec![input(Message::text(Role::User, text))],
        None => raw.elements().filter_map(|raw| parse(raw, attachments, skipped)).collect(),
    }
}

/// Marks the user messages after the first reply that are not input of the sample: a solver wrote them.
pub(super) fn mark_harness(messages: &mut [LogMessage]) {
    let first_reply = messages.iter().position(|message| message.message.role == Role::Assistant);
    for LogMessage { source, message, .. } in messages.iter_mut().skip(first_reply.unwrap_or(usize::MAX)) {
        message.harness = message.role == Role::User && source.is_empty();
    }
}

fn into_message(mut wire: WireMessage<'_>) -> Option<LogMessage> {
    let role = match wire.role.as_str() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    };
    let mut bodies = block::parse_parts(std::mem::take(&mut wire.content), parse_part);
    bodies.retain(|body| !matches!(body, Body::Text(text) if text.is_empty()));
    if role == Role::Tool {
        bodies = vec![Body::ToolResult(Box::new(parse_result(&wire, bodies)))];
    } else if role == Role::Assistant {
        bodies.extend(wire.tool_calls.0.iter().flatten().map(|raw| openai_chat::parse_call(*raw)));
    }
    let mut message = Message::new(role, bodies.into_iter().map(Part::new).collect());
    if role == Role::Assistant {
        message.model = wire.model.non_empty();
    }
    let [id, source] = [&wire.id, &wire.source].map(|text| text.non_empty().unwrap_or_default());
    Some(LogMessage { id, source, message })
}

/// The model is sent the message of an error in place of the content.
fn parse_result(wire: &WireMessage<'_>, bodies: Vec<Body>) -> ToolResult {
    let (mut text, attachments) = block::join_texts(bodies);
    let error = wire.error.and_then(Raw::object::<ToolError>);
    if let Some(message) = error.as_ref().and_then(|error| error.message.0.clone()) {
        text = message;
    }
    let id = SmolStr::new(wire.tool_call_id.as_str());
    ToolResult { id, name: wire.function.non_empty(), text, attachments, is_error: error.is_some() }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    text: Text,
    reasoning: Text,
    summary: Text,
    signature: Str<'a>,
    redacted: Flag,
    image: Str<'a>,
}

fn parse_part(raw: Raw<'_>) -> Body {
    block::parse_part(raw, parse_known_part)
}

fn parse_known_part(part: WirePart<'_>) -> Option<Body> {
    match part.kind.as_str() {
        "text" => part.text.0.map(Body::Text),
        // Redacted reasoning is encrypted; its summary is what can be read.
        "reasoning" if part.redacted.0 => Some(Body::Thinking {
            text: part.summary.0.unwrap_or_default(),
            signature: part.reasoning.0.as_deref().or(part.signature.get()).map(Into::into),
        }),
        "reasoning" => Some(Body::Thinking {
            text: part.reasoning.0.unwrap_or_default(),
            signature: part.signature.get().filter(|text| !text.is_empty()).map(Into::into),
        }),
        "image" => part.image.get().map(image::from_url),
        _ => None,
    }
}
