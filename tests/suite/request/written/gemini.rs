//! Conversations as contents of the Gemini API.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use trimtab::conversation::{Body, Message, Role, ToolResult};

use super::Scribe;

/// Results of one reply are parts of one content, sometimes with the text that follows.
pub(super) fn contents(scribe: &mut Scribe<'_>, messages: &[Arc<Message>], names_calls: bool) -> Vec<Json> {
    let mut contents: Vec<(Role, Vec<Json>)> = Vec::new();
    for message in messages {
        let parts = parts(scribe, message, names_calls);
        match contents.last_mut() {
            Some((Role::Tool, last)) if message.role == Role::Tool && !scribe.choice(8) => last.extend(parts),
            Some((role @ Role::Tool, last)) if message.role == Role::User && scribe.choice(2) => {
                *role = Role::User;
                last.extend(parts);
            }
            _ => contents.push((message.role, parts)),
        }
    }
    let content = |(role, parts): (Role, Vec<Json>)| {
        let mut content = json!({ "parts": parts });
        match role {
            Role::Assistant => content["role"] = "model".into(),
            Role::System => content["role"] = "system".into(),
            Role::Tool if scribe.choice(4) => content["role"] = "function".into(),
            Role::User | Role::Tool if scribe.choice(6) => {}
            Role::User | Role::Tool => content["role"] = "user".into(),
        }
        scribe.strange(content)
    };
    contents.into_iter().map(content).collect()
}

/// The key and the value of a system instruction.
pub(super) fn system(scribe: &mut Scribe<'_>, text: &str) -> (&'static str, Json) {
    let key = if scribe.choice(3) { "system_instruction" } else { "systemInstruction" };
    let value = match scribe.next() % 3 {
        0 => text.into(),
        1 => json!({ "parts": [{ "text": text }] }),
        _ => json!({ "role": "user", "parts": [{ "text": text }] }),
    };
    (key, value)
}

pub(super) fn remove_thinking(content: &mut Json) {
    let Some(parts) = content["parts"].as_array_mut() else { return };
    parts.retain(|part| part["thought"] != true);
    for part in parts.iter_mut().filter_map(Json::as_object_mut) {
        part.remove("thoughtSignature");
    }
}

fn parts(scribe: &mut Scribe<'_>, message: &Message, names_calls: bool) -> Vec<Json> {
    let mut parts: Vec<Json> = Vec::new();
    // The signature of the next part.
    let mut signature: Option<Box<str>> = None;
    let mut bodies = message.parts.iter().map(|part| &part.body).peekable();
    while let Some(body) = bodies.next() {
        let mut part = match body {
            Body::Thinking { text, signature: Some(own) }
                if text.is_empty() && !own.is_empty() && bodies.peek().is_some_and(|next| is_signed(next)) =>
            {
                signature = Some(own.clone());
                continue;
            }
            Body::Thinking { text, signature } => {
                json!({ "text": text.as_ref(), "thought": true, "thoughtSignature": signature.as_deref().unwrap_or("") })
            }
            Body::ToolResult(result) => with_key(scribe, "functionResponse", "function_response", |scribe| {
                response(scribe, result, names_calls)
            }),
            Body::ToolCall { id, name, arguments } => with_key(scribe, "functionCall", "function_call", |scribe| {
                let args = arguments.parsed().cloned().unwrap_or_else(|| json!({ "raw": arguments.text() }));
                let mut call = json!({ "name": name.as_str(), "args": args });
                if names_calls || scribe.choice(2) {
                    call["id"] = id.as_str().into();
                }
                call
            }),
            other => plain(scribe, other),
        };
        if let Some(signature) = signature.take() {
            part["thoughtSignature"] = signature.as_ref().into();
        }
        parts.push(scribe.strange(part));
    }
    parts
}

/// Whether a signature before a part stands in the part.
fn is_signed(body: &Body) -> bool {
    match body {
        Body::Text(text) => !text.is_empty(),
        Body::ToolCall { .. } => true,
        _ => false,
    }
}

fn with_key(scribe: &mut Scribe<'_>, usual: &str, other: &str, value: impl FnOnce(&mut Scribe<'_>) -> Json) -> Json {
    let key = if scribe.choice(7) { other } else { usual };
    json!({ key: value(scribe) })
}

fn plain(scribe: &mut Scribe<'_>, body: &Body) -> Json {
    match body {
        Body::Text(text) => json!({ "text": text.as_ref() }),
        Body::Image { .. } if scribe.choice(5) => {
            json!({ "inline_data": { "mime_type": "image/png", "data": "TWFu".repeat(40) } })
        }
        Body::Image { .. } => json!({ "inlineData": { "mimeType": "image/png", "data": "TWFu".repeat(40) } }),
        Body::Other(json) => json.as_ref().clone(),
        other => panic!("{other:?}"),
    }
}

/// A response with the text of a result, which may be in pieces.
fn response(scribe: &mut Scribe<'_>, result: &ToolResult, names_calls: bool) -> Json {
    let (text, more) = match result.text.split_once('\n') {
        Some((one, other)) if scribe.choice(2) && !one.is_empty() && !other.is_empty() => (one, Some(other)),
        _ => (result.text.as_ref(), None),
    };
    let key = match scribe.next() % 3 {
        _ if result.is_error => "error",
        0 => "result",
        _ => "output",
    };
    let mut response = json!({ "name": "tool", "response": { key: text } });
    if names_calls || scribe.choice(2) {
        response["id"] = result.id.as_str().into();
    }
    let texts = more.into_iter().map(|text| json!({ "text": text }));
    let parts: Vec<Json> = texts.chain(result.attachments.iter().map(|body| plain(scribe, body))).collect();
    if !parts.is_empty() {
        response["parts"] = parts.into();
    }
    response
}
