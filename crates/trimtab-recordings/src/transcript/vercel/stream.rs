//! The chunks of a streamed message, put together.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Role, ToolResult};

use super::{Metadata, Steps, parse_usage};
use crate::transcript::Transcript;
use crate::transcript::record::{self, Input, Skipped};
use crate::transcript::sample::ShallowValue;
use crate::transcript::wire::{self, Raw, Str, Text};

/// Chunks that no other format has.
const OWN_CHUNKS: [&str; 9] = [
    "start-step",
    "finish-step",
    "text-start",
    "text-delta",
    "reasoning-start",
    "reasoning-delta",
    "tool-input-start",
    "tool-input-available",
    "tool-output-available",
];

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    delta: Str<'a>,
    text: Str<'a>,
    input_text_delta: Str<'a>,
    tool_call_id: Str<'a>,
    tool_name: Str<'a>,
    input: Option<Raw<'a>>,
    output: Option<Raw<'a>>,
    error_text: Text,
    #[serde(deserialize_with = "wire::lenient")]
    message_metadata: Metadata<'a>,
}

pub(super) fn is_stream(records: &[ShallowValue<'_>]) -> bool {
    let is_chunk = |record: &ShallowValue<'_>| {
        !record.has("role") && record.string("type").is_some_and(|kind| OWN_CHUNKS.contains(&kind.as_ref()))
    };
    records.iter().any(is_chunk)
}

/// Reads the chunks of a message. Returns `None` if the text has none.
pub(super) fn read(input: &Input<'_>) -> Option<Transcript> {
    let (mut skipped, mut chunks) = (Skipped::default(), Vec::new());
    // The lines of server-sent events begin with the name of their field.
    let data: String =
        input.lines().filter_map(|(line, _)| line.strip_prefix("data:")).flat_map(|it| [it, "\n"]).collect();
    let events = Input::of(&data);
    let input = if data.is_empty() { input } else { &events };
    for record in input.records(&mut skipped) {
        match record.object::<Chunk<'_>>() {
            Some(chunk) => chunks.push(chunk),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    if !chunks.iter().any(|chunk| OWN_CHUNKS.contains(&chunk.kind.as_str())) {
        return None;
    }
    let (mut message, mut model, mut usage) = (Streamed::new(), None, None);
    for chunk in &chunks {
        model = chunk.message_metadata.model.non_empty().or(model);
        usage = parse_usage(chunk.message_metadata.usage).or(usage);
        if !message.add(chunk) {
            skipped.count(&format!("chunk:{}", chunk.kind.as_str()));
        }
    }
    message.end_parts();
    let mut messages = message.steps.finish();
    let mut replies: Vec<_> = messages.iter_mut().filter(|message| message.role == Role::Assistant).collect();
    for reply in &mut replies {
        reply.model.clone_from(&model);
    }
    if let [reply] = replies.as_mut_slice() {
        reply.usage = usage;
    }
    Some(Transcript {
        messages: messages.into_iter().map(Into::into).collect(),
        skipped: skipped.0,
        ..Transcript::default()
    })
}

/// A message of which chunks have arrived.
struct Streamed {
    steps: Steps,
    text: String,
    thinking: String,
    /// The calls whose arguments are not complete: id, tool and arguments so far.
    calls: Vec<(SmolStr, SmolStr, String)>,
}

impl Streamed {
    fn new() -> Self {
        let steps = Steps { has_marks: true, ..Steps::new(Role::Assistant) };
        Self { steps, text: String::new(), thinking: String::new(), calls: Vec::new() }
    }

    /// Adds a chunk. Returns whether its type is known.
    fn add(&mut self, chunk: &Chunk<'_>) -> bool {
        let delta = || chunk.delta.get().unwrap_or(chunk.text.as_str());
        let [id, name] = [&chunk.tool_call_id, &chunk.tool_name].map(|text| SmolStr::new(text.as_str()));
        match chunk.kind.as_str() {
            "text-delta" => self.text += delta(),
            "reasoning-delta" => self.thinking += delta(),
            "tool-input-start" => self.calls.push((id, name, String::new())),
            "tool-input-delta" => {
                if let Some((.., arguments)) = self.calls.iter_mut().find(|(call, ..)| *call == id) {
                    *arguments += chunk.input_text_delta.as_str();
                }
            }
            "tool-input-available" | "tool-input-error" => {
                self.calls.retain(|(call, ..)| *call != id);
                self.end_texts();
                self.steps.add_body(Body::ToolCall { id, name, arguments: wire::arguments(chunk.input) });
            }
            "tool-output-available" | "tool-output-error" => {
                self.end_texts();
                self.end_calls(|call| *call == id);
                self.steps.add_body(result(chunk));
            }
            "start-step" | "finish-step" => {
                self.end_parts();
                self.steps.end_step();
            }
            "text-start" | "text-end" | "reasoning-start" | "reasoning-end" => self.end_texts(),
            "start" | "message-metadata" | "finish" => {}
            _ => return false,
        }
        true
    }

    /// Adds the parts that were streamed.
    fn end_parts(&mut self) {
        self.end_texts();
        self.end_calls(|_| true);
    }

    fn end_texts(&mut self) {
        if !self.thinking.is_empty() {
            let text = std::mem::take(&mut self.thinking).into();
            self.steps.add_body(Body::Thinking { text, signature: None });
        }
        if !self.text.is_empty() {
            self.steps.add_body(Body::Text(std::mem::take(&mut self.text).into()));
        }
    }

    /// Adds the calls with these ids, with the arguments so far.
    fn end_calls(&mut self, has_id: impl Fn(&SmolStr) -> bool) {
        let (ended, open): (Vec<_>, Vec<_>) = self.calls.drain(..).partition(|(id, ..)| has_id(id));
        self.calls = open;
        for (id, name, arguments) in ended {
            self.steps.add_body(Body::ToolCall { id, name, arguments: Arguments::Text(arguments.into()) });
        }
    }
}

fn result(chunk: &Chunk<'_>) -> Body {
    let is_error = chunk.kind.as_str() == "tool-output-error";
    let output = chunk.output.map(super::part::plain).unwrap_or_default();
    let text = chunk.error_text.0.clone().filter(|_| is_error).unwrap_or(output);
    let id = SmolStr::new(chunk.tool_call_id.as_str());
    Body::ToolResult(Box::new(ToolResult { id, name: None, text, attachments: Vec::new(), is_error }))
}
