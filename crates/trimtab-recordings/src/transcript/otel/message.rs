//! Messages in the attributes of spans: of the `GenAI` conventions, of `OpenInference` and of `Traceloop`.
//!
//! All of them are objects with a role. They differ in the names of their fields and in what wraps these, so that one
//! reader takes each field under any of its names.

use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role, ToolResult};

use super::attribute;
use crate::transcript::image;

/// Reads a list of messages, or a text of the given role.
pub(super) fn read(json: Option<Json>, role: Role) -> Vec<Message> {
    match json {
        Some(Json::Array(items)) => items.into_iter().flat_map(|item| read_message(item, role)).collect(),
        Some(Json::String(text)) if !text.is_empty() => vec![Message::text(role, text)],
        Some(object @ Json::Object(_)) => match field(&object, &["messages"]) {
            Some(list) => read(Some(list.clone()), role),
            None => read_message(object, role),
        },
        _ => Vec::new(),
    }
}

/// Reads a message. Its results become messages of their own.
fn read_message(json: Json, default_role: Role) -> Vec<Message> {
    let json = unwrap(json, "message");
    let role = match text(&json, &["role"]).as_str() {
        "system" | "developer" => Role::System,
        "user" | "human" => Role::User,
        "assistant" | "ai" | "model" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => default_role,
    };
    let content = ["parts", "contents", "content"].iter().find_map(|key| json.get(key)).filter(|json| !json.is_null());
    let mut bodies: Vec<Body> = content.cloned().map(read_content).unwrap_or_default();
    if let Some(Json::Array(calls)) = field(&json, &["tool_calls"]) {
        bodies.extend(calls.iter().map(|call| read_call(&unwrap(call.clone(), "tool_call"))));
    }
    let is_result = |body: &Body| matches!(body, Body::ToolResult(_));
    if role == Role::Tool && !bodies.iter().any(is_result) {
        let (text, attachments) = crate::transcript::block::join_texts(bodies);
        let id = self::text(&json, &["tool_call_id", "id"]);
        let name = Some(self::text(&json, &["name"])).filter(|name| !name.is_empty());
        bodies = vec![Body::ToolResult(Box::new(ToolResult { id, name, text, attachments, is_error: false }))];
    }
    let (results, rest): (Vec<_>, Vec<_>) = bodies.into_iter().partition(is_result);
    let mut messages: Vec<_> =
        results.into_iter().map(|body| Message::new(Role::Tool, vec![Part::new(body)])).collect();
    if !rest.is_empty() && role != Role::Tool {
        messages.push(Message::new(role, rest.into_iter().map(Part::new).collect()));
    }
    messages
}

/// Reads content: a text, perhaps of JSON, or a list of parts.
pub(super) fn read_content(json: Json) -> Vec<Body> {
    match json {
        Json::String(text) => match attribute::parse_text(&text) {
            Json::Array(parts) if parts.iter().any(|part| part.get("type").is_some()) => {
                read_content(Json::Array(parts))
            }
            _ => Some(text).filter(|text| !text.is_empty()).map(|text| Body::Text(text.into())).into_iter().collect(),
        },
        Json::Array(parts) => parts.into_iter().map(|part| read_part(unwrap(part, "message_content"))).collect(),
        Json::Null => Vec::new(),
        other => vec![read_part(other)],
    }
}

fn read_part(json: Json) -> Body {
    let body = match text(&json, &["type"]).as_str() {
        _ if json.is_string() => json.as_str().map(|text| Body::Text(text.into())),
        "text" | "input_text" | "output_text" | "" => {
            field(&json, &["content", "text"]).and_then(Json::as_str).map(|text| Body::Text(text.into()))
        }
        "reasoning" | "thinking" => Some(Body::Thinking {
            text: text(&json, &["content", "text", "thinking", "reasoning"]).as_str().into(),
            signature: Some(text(&json, &["signature"]))
                .filter(|text| !text.is_empty())
                .map(|text| text.as_str().into()),
        }),
        "tool_call" | "tool_use" | "function_call" => Some(read_call(&json)),
        "tool_call_response" | "tool_result" => Some(read_result(&json)),
        "image" | "image_url" | "blob" | "uri" => read_image(&json),
        _ => None,
    };
    body.unwrap_or_else(|| Body::Other(Box::new(image::without_data(json))))
}

fn read_call(json: &Json) -> Body {
    let function = field(json, &["function"]).filter(|function| function.is_object()).unwrap_or(json);
    let arguments = match field(function, &["arguments", "input", "args"]) {
        Some(Json::String(text)) => Arguments::Text(text.as_str().into()),
        Some(json) => Arguments::from(json.clone()),
        None => Arguments::Text("".into()),
    };
    Body::ToolCall { id: text(json, &["id", "call_id"]), name: text(function, &["name"]), arguments }
}

fn read_result(json: &Json) -> Body {
    let content = field(json, &["response", "result", "content"]).cloned().unwrap_or_default();
    let (text, attachments) = match content {
        Json::Array(parts) if parts.iter().all(|part| part.get("type").is_some()) => {
            crate::transcript::block::join_texts(read_content(Json::Array(parts)))
        }
        Json::String(text) => (text.into(), Vec::new()),
        Json::Null => Default::default(),
        other => (other.to_string().into(), Vec::new()),
    };
    let id = self::text(json, &["id", "tool_call_id", "tool_use_id"]);
    let is_error = field(json, &["is_error"]).and_then(Json::as_bool).unwrap_or_default();
    Body::ToolResult(Box::new(ToolResult { id, name: None, text, attachments, is_error }))
}

fn read_image(json: &Json) -> Option<Body> {
    let nested = field(json, &["image", "image_url", "source"]).filter(|nested| nested.is_object());
    let inner =
        nested.map_or(json, |nested| field(nested, &["image"]).filter(|json| json.is_object()).unwrap_or(nested));
    let media_type = text(inner, &["mime_type", "media_type"]);
    let is_image = media_type.starts_with("image/") || text(json, &["modality"]) == "image" || media_type.is_empty();
    let string = |keys: &[&str]| field(inner, keys).and_then(Json::as_str).filter(|_| is_image);
    string(&["url", "uri", "image_url"])
        .map(image::from_url)
        .or_else(|| string(&["content", "data"]).map(|data| image::from_data(&media_type, data)))
}

/// The value inside a wrapper with a single name.
fn unwrap(mut json: Json, key: &str) -> Json {
    match json.get_mut(key) {
        Some(inner) if inner.is_object() => inner.take(),
        _ => json,
    }
}

/// The first of these fields that is not null.
fn field<'a>(json: &'a Json, keys: &[&str]) -> Option<&'a Json> {
    keys.iter().find_map(|key| json.get(key)).filter(|json| !json.is_null())
}

/// The first of these fields that is a text.
fn text(json: &Json, keys: &[&str]) -> SmolStr {
    let text = keys.iter().find_map(|key| json.get(key)?.as_str());
    text.map(SmolStr::new).unwrap_or_default()
}
