//! Transcripts and messages written in the project's own recording form.
//!
//! In: canonical messages. Out: JSON that the reader of the form makes the same messages of.

use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

use super::{Tool, Transcript, trimtab};
use crate::conversation::{Arguments, Body, ImageSize, Message, ToolResult};

/// The lines of a transcript: a header, then a message a line.
pub fn write(transcript: &Transcript) -> String {
    let mut text = header(transcript).to_string();
    text.push('\n');
    for message in &transcript.messages {
        text.push_str(&line(message).to_string());
        text.push('\n');
    }
    text
}

/// A message as the form has it, its content always a list of parts.
pub fn message_json(message: &Message) -> Json {
    let mut map = Map::new();
    map.insert("role".to_owned(), message.role.word().into());
    map.insert("content".to_owned(), message.parts.iter().map(|part| body(&part.body)).collect());
    if let Some(usage) = message.usage {
        let usage = json!({ "input": usage.input, "cache_read": usage.cache_read, "cache_write": usage.cache_write, "output": usage.output });
        map.insert("usage".to_owned(), usage);
    }
    let mut word = |key: &str, text: Option<&str>| text.map(|text| map.insert(key.to_owned(), text.into()));
    word("at", message.at.as_deref());
    word("model", message.model.as_deref());
    word("origin", trimtab::origin_word(message.origin));
    let mut flag = |key: &str, flag: Option<bool>| flag.map(|flag| map.insert(key.to_owned(), flag.into()));
    flag("run", message.run);
    flag("harness", message.harness.then_some(true));
    flag("resets", message.resets.then_some(true));
    if let Some(compaction) = message.compaction() {
        let automatic = compaction.automatic;
        map.insert("compaction".to_owned(), with_tokens(json!({ "automatic": automatic }), compaction.tokens));
    }
    if let Some(cleared) = message.cleared() {
        let results: Vec<&str> = cleared.results.iter().map(SmolStr::as_str).collect();
        map.insert("cleared".to_owned(), with_tokens(json!({ "results": results }), cleared.tokens));
    }
    map.extend(message.extra.clone());
    Json::Object(map)
}

fn with_tokens(mut json: Json, tokens: Option<u64>) -> Json {
    if let Some(tokens) = tokens {
        json["tokens"] = tokens.into();
    }
    json
}

/// A message as a line has it: a single text stands as a string.
fn line(message: &Message) -> Json {
    let mut json = message_json(message);
    if let [part] = message.parts.as_slice()
        && let Body::Text(text) = &part.body
    {
        json["content"] = text.as_ref().into();
    }
    json
}

fn header(transcript: &Transcript) -> Json {
    let mut map = Map::new();
    map.insert("trimtab".to_owned(), 1.into());
    if !transcript.id.is_empty() {
        map.insert("id".to_owned(), transcript.id.as_str().into());
    }
    if let Some(model) = &transcript.model {
        map.insert("model".to_owned(), model.as_str().into());
    }
    if let Some(window) = transcript.window {
        map.insert("window".to_owned(), window.into());
    }
    if !transcript.tools.is_empty() {
        map.insert("tools".to_owned(), transcript.tools.iter().map(tool).collect());
    }
    if let Some(started) = &transcript.started {
        map.insert("started".to_owned(), started.as_str().into());
    }
    Json::Object(map)
}

fn tool(tool: &Tool) -> Json {
    if tool.description.is_none() && tool.schema.is_none() {
        return tool.name.as_str().into();
    }
    let mut json = json!({ "name": tool.name.as_str() });
    if let Some(description) = &tool.description {
        json["description"] = description.as_ref().into();
    }
    if let Some(schema) = &tool.schema {
        json["schema"] = serde_json::from_str(schema).unwrap_or_else(|_| schema.as_ref().into());
    }
    json
}

fn body(body: &Body) -> Json {
    match body {
        Body::Text(text) => json!({ "type": "text", "text": text.as_ref() }),
        Body::Thinking { text, signature: None } => json!({ "type": "thinking", "text": text.as_ref() }),
        Body::Thinking { text, signature: Some(signature) } => {
            json!({ "type": "thinking", "text": text.as_ref(), "signature": signature.as_ref() })
        }
        Body::Image { media_type, bytes, size } => {
            let mut json = json!({ "type": "image", "media_type": media_type.as_str(), "bytes": bytes });
            if let Some(ImageSize { width, height }) = size {
                json["width"] = (*width).into();
                json["height"] = (*height).into();
            }
            json
        }
        Body::ToolCall { id, name, arguments } => {
            json!({ "type": "tool_call", "id": id.as_str(), "name": name.as_str(), "arguments": recorded(arguments) })
        }
        Body::ToolResult(tool_result) => result(tool_result),
        Body::Other(json) => other(json),
    }
}

/// A part as it was recorded, wrapped where it would be taken for a part of this form.
fn other(json: &Json) -> Json {
    let raw = serde_json::value::to_raw_value(json).ok();
    let is_plain = raw.is_some_and(|raw| matches!(trimtab::body(&raw), Body::Other(read) if *read == *json));
    if is_plain { json.clone() } else { json!({ "type": "other", "value": json }) }
}

/// The arguments as they were recorded.
fn recorded(arguments: &Arguments) -> Json {
    match arguments {
        Arguments::Text(text) => text.as_ref().into(),
        Arguments::Json(json) => json.clone(),
    }
}

fn result(result: &ToolResult) -> Json {
    let mut json = json!({ "type": "tool_result", "id": result.id.as_str() });
    if let Some(name) = &result.name {
        json["name"] = name.as_str().into();
    }
    json["content"] = if result.attachments.is_empty() {
        result.text.as_ref().into()
    } else {
        let text = (!result.text.is_empty()).then(|| Body::Text(result.text.clone()));
        text.iter().chain(&result.attachments).map(body).collect()
    };
    json["is_error"] = result.is_error.into();
    json
}
