//! Messages of the Vercel AI SDK: those of its user interface (`UIMessage`, versions 4 to 6), those sent to the model
//! (`ModelMessage`), and the chunks of a streamed message.

mod part;
mod stream;

use serde::Deserialize;
use trimtab_base::conversation::{Body, Message, Part, Role, Usage};

use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Content, Fields, Indexed, List, Raw, Str, TokenCount};
use super::{Format, ReadError, Reader, Transcript, block, envelope, request_records, usage};
use part::WirePart;

/// Messages of the Vercel AI SDK.
pub(super) static VERCEL: Format = Format {
    name: "vercel",
    title: "Vercel AI SDK",
    summary: "messages of the Vercel AI SDK: a list or an object with `messages` of `UIMessage` or `ModelMessage`, or the \
              chunks of a stream",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    stream::is_stream(sample.records()) || sample.messages().iter().any(is_message)
}

fn is_message(message: &ShallowValue<'_>) -> bool {
    let has_parts = |key: &str, is_own: fn(&ShallowValue<'_>) -> bool| {
        message.field(key).is_some_and(|parts| parts.elements(40).iter().any(is_own))
    };
    let is_ui_part = |part: &ShallowValue<'_>| part.has("type");
    let is_model_part = |part: &ShallowValue<'_>| part.has("toolCallId") && part.has("toolName");
    let has_model_parts = || message.mentions("content", "toolCallId") && has_parts("content", is_model_part);
    let is_ui = message.has("toolInvocations") || has_parts("parts", is_ui_part) && !message.has("sender");
    message.has("role") && (is_ui || has_model_parts())
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    match stream::read(input) {
        Some(transcript) => Ok(vec![transcript]),
        None => request_records::read_transcripts("vercel", input, &[], read_conversation),
    }
}

fn read_conversation(conversation: &envelope::RawConversation<'_>, skipped: &mut Skipped) -> Transcript {
    let mut messages = Vec::new();
    for raw in &conversation.messages {
        match raw.object().and_then(parse_message) {
            Some(read) => messages.extend(read),
            None => skipped.count("message without a known role"),
        }
    }
    envelope::prepend_system(&mut messages, conversation.envelope.system);
    conversation.envelope.transcript(messages)
}

/// Reads a list of messages in JSON.
pub(super) fn read_model_messages(json: &str) -> Vec<Message> {
    let Some(json) = Indexed::of(json) else { return Vec::new() };
    json.raw().elements().filter_map(|raw| raw.object().and_then(parse_message)).flatten().collect()
}

/// Reads a list of tool calls in JSON.
pub(super) fn read_calls(json: &str) -> Vec<Body> {
    let Some(json) = Indexed::of(json) else { return Vec::new() };
    json.raw().elements().filter_map(Raw::object::<WirePart<'_>>).map(|part| part.call()).collect()
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    parts: List<'a>,
    tool_invocations: List<'a>,
    created_at: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    metadata: Metadata<'a>,
}

/// What applications usually record about a message.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Metadata<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    model_id: Str<'a>,
    usage: Option<Raw<'a>>,
    created_at: Str<'a>,
}

/// Splits a message into canonical ones: a message of the user interface has several replies, each with its results.
fn parse_message(mut wire: WireMessage<'_>) -> Option<Vec<Message>> {
    let role = match wire.role.as_str() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    };
    let mut steps = Steps::new(role);
    if let Some(parts) = wire.parts.0.take().filter(|parts| !parts.is_empty()) {
        for raw in parts {
            steps.add(raw);
        }
    } else {
        for body in block::parse_parts(std::mem::take(&mut wire.content), part::parse) {
            steps.add_body(body);
        }
        for raw in wire.tool_invocations.0.iter().flatten() {
            steps.add_invocation(*raw);
        }
    }
    let mut messages = steps.finish();
    let at = wire.created_at.non_empty().or_else(|| wire.metadata.created_at.non_empty());
    for message in &mut messages {
        message.at.clone_from(&at);
    }
    let mut replies: Vec<_> = messages.iter_mut().filter(|message| message.role == Role::Assistant).collect();
    for reply in &mut replies {
        reply.model = wire.metadata.model.non_empty().or_else(|| wire.metadata.model_id.non_empty());
    }
    // The usage of several replies is a total.
    if let [reply] = replies.as_mut_slice() {
        reply.usage = parse_usage(wire.metadata.usage);
    }
    Some(messages)
}

/// The replies of a message and their results so far.
struct Steps {
    role: Role,
    messages: Vec<Message>,
    parts: Vec<Body>,
    results: Vec<Body>,
    /// Whether the message marks where its steps begin.
    has_marks: bool,
}

impl Steps {
    const fn new(role: Role) -> Self {
        Self { role, messages: Vec::new(), parts: Vec::new(), results: Vec::new(), has_marks: false }
    }

    /// Adds a part of a message of the user interface.
    fn add(&mut self, raw: Raw<'_>) {
        let Some(part) = raw.object::<WirePart<'_>>() else { return self.add_body(part::parse(raw)) };
        if part.kind.as_str() == "step-start" {
            self.has_marks = true;
            self.end_step();
        } else if let Some(invocation) = part.tool_invocation {
            self.add_invocation(invocation);
        } else if part.is_invocation() {
            self.add_call(&part);
        } else {
            self.add_body(part::parse(raw));
        }
    }

    fn add_invocation(&mut self, raw: Raw<'_>) {
        match raw.object::<WirePart<'_>>() {
            Some(part) => self.add_call(&part),
            None => self.add_body(part::parse(raw)),
        }
    }

    /// Adds a call and its result.
    fn add_call(&mut self, part: &WirePart<'_>) {
        self.parts.push(part.call());
        self.results.extend(part.result());
    }

    fn add_body(&mut self, body: Body) {
        if let Body::ToolResult(result) = &body {
            let is_open = |part: &Body| matches!(part, Body::ToolCall { id, .. } if *id == result.id);
            // The call of a result may be in an earlier step.
            if self.parts.iter().any(is_open) {
                self.results.push(body);
            } else {
                self.messages.push(Message::new(Role::Tool, vec![Part::new(body)]));
            }
            return;
        }
        if matches!(&body, Body::Text(text) if text.is_empty()) {
            return;
        }
        let has_calls = self.parts.iter().any(|part| matches!(part, Body::ToolCall { .. }));
        if has_calls && !self.has_marks && matches!(body, Body::Text(_) | Body::Thinking { .. }) {
            self.end_step();
        }
        self.parts.push(body);
    }

    fn end_step(&mut self) {
        let message = |role, bodies: Vec<Body>| Message::new(role, bodies.into_iter().map(Part::new).collect());
        if !self.parts.is_empty() {
            let role = if self.role == Role::Tool { Role::User } else { self.role };
            self.messages.push(message(role, std::mem::take(&mut self.parts)));
        }
        self.messages.extend(self.results.drain(..).map(|result| message(Role::Tool, vec![result])));
    }

    fn finish(mut self) -> Vec<Message> {
        self.end_step();
        if self.messages.is_empty() && self.role != Role::Tool {
            self.messages.push(Message::new(self.role, Vec::new()));
        }
        self.messages
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireUsage {
    #[serde(alias = "promptTokens")]
    input_tokens: TokenCount,
    #[serde(alias = "completionTokens")]
    output_tokens: TokenCount,
    cached_input_tokens: TokenCount,
    #[serde(deserialize_with = "wire::lenient")]
    input_token_details: InputDetails,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct InputDetails {
    cache_read_tokens: TokenCount,
    cache_write_tokens: TokenCount,
}

/// Usage of the Vercel AI SDK: the input includes the cache.
fn parse_usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let wire: WireUsage = raw.and_then(Raw::object)?;
    let details = wire.input_token_details;
    let cache_read = wire.cached_input_tokens.or(details.cache_read_tokens);
    let recorded = [wire.input_tokens, cache_read, details.cache_write_tokens, wire.output_tokens];
    Some(usage::with_larger_cache(recorded)).filter(|usage| usage.total() > 0)
}

/// The fields of an object as raw values, or none.
fn fields(raw: Raw<'_>) -> Fields<'_> {
    raw.object().unwrap_or_default()
}

#[cfg(test)]
mod tests;
