//! Writes transcripts in the formats of other systems, and names what those have no place for.
//!
//! A format is one file and two lines here: `mod` and the entry in [`CONVERSIONS`].

mod anthropic_messages;
mod loss;
mod openai_chat;
mod openai_responses;
mod trimtab;

use serde_json::{Map, Value as Json, json};
use trimtab_base::conversation::{Arguments, Body, Message};
use trimtab_recordings::transcript::{Tool, Transcript};

pub use loss::{Loss, Losses};

/// A format that transcripts are converted to.
#[derive(Debug)]
pub struct ConversionFormat {
    /// Its name: that of the transcript format.
    pub name: &'static str,
    /// What the output is.
    pub summary: &'static str,
    /// The lines of a transcript.
    write: fn(&Transcript, &mut Losses) -> String,
}

/// The formats, in the order of the help.
pub static CONVERSIONS: &[&ConversionFormat] =
    &[&trimtab::FORMAT, &openai_chat::FORMAT, &openai_responses::FORMAT, &anthropic_messages::FORMAT];

/// Converts a transcript to JSON lines, and counts what is lost.
pub fn convert(transcript: &Transcript, format: &ConversionFormat) -> (String, Losses) {
    let mut losses = Losses::default();
    let text = match without_copies(transcript).filter(|_| !std::ptr::eq(format, &raw const trimtab::FORMAT)) {
        Some(transcript) => (format.write)(&transcript, &mut losses),
        None => (format.write)(transcript, &mut losses),
    };
    (text, losses)
}

/// Returns the transcript without the copies of messages that a harness kept when it compacted, or `None` if there are
/// none. A list of messages that says nothing of compactions has no place for them.
fn without_copies(transcript: &Transcript) -> Option<Transcript> {
    let has_copies = transcript.messages.iter().any(|message| message.kept);
    let messages = || transcript.messages.iter().filter(|message| !message.kept).cloned().collect();
    has_copies.then(|| Transcript { messages: messages(), ..transcript.clone() })
}

/// The request with these messages under `key`, one line.
fn request_line(transcript: &Transcript, tools: Vec<Json>, system: Option<Json>, key: &str, list: Vec<Json>) -> String {
    let mut request = Map::new();
    request.extend(transcript.model.as_ref().map(|model| ("model".to_owned(), model.as_str().into())));
    request.extend(system.map(|system| ("system".to_owned(), system)));
    if !tools.is_empty() {
        request.insert("tools".to_owned(), Json::Array(tools));
    }
    request.insert(key.to_owned(), Json::Array(list));
    format!("{}\n", Json::Object(request))
}

/// The declaration of a tool, with its schema under `key`.
fn tool_json(tool: &Tool, key: &str) -> Json {
    let mut json = json!({ "name": tool.name.as_str() });
    if let Some(description) = &tool.description {
        json["description"] = description.as_ref().into();
    }
    if let Some(schema) = &tool.schema {
        json[key] = serde_json::from_str(schema).unwrap_or_else(|_| schema.as_ref().into());
    }
    json
}

/// The arguments of a call as a JSON object, if they are one.
fn object(arguments: &Arguments) -> Option<Json> {
    arguments.parsed().filter(|value| value.is_object()).cloned()
}

/// The texts of a message that are not empty. Everything but calls, results and thinking is counted as lost.
fn texts<'m>(message: &'m Message, losses: &mut Losses) -> Vec<&'m str> {
    let mut texts = Vec::new();
    for part in &message.parts {
        match &part.body {
            Body::Text(text) if text.is_empty() => losses.add(Loss::EmptyText),
            Body::Text(text) => texts.push(text.as_ref()),
            Body::ToolCall { .. } | Body::ToolResult(_) | Body::Thinking { .. } => {}
            other => losses.add_body(other),
        }
    }
    texts
}

/// Counts a message whose parts are not in the order thinking, texts, calls.
fn check_order(message: &Message, losses: &mut Losses) {
    let rank = |body: &Body| match body {
        Body::Thinking { .. } => 0,
        Body::ToolCall { .. } => 2,
        _ => 1,
    };
    if !message.parts.iter().map(|part| rank(&part.body)).is_sorted() {
        losses.add(Loss::PartOrder);
    }
}

#[cfg(test)]
mod tests;
