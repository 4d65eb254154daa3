//! Requests of the Anthropic Messages API.

use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Arguments, Body, Message, Role, ToolResult};
use trimtab_recordings::transcript::Transcript;

use super::loss::{Loss, Losses};
use super::{ConversionFormat, object, request_line, texts, tool_json};

pub(super) static FORMAT: ConversionFormat =
    ConversionFormat { name: "anthropic_messages", summary: "A request of the Anthropic Messages API per line", write };

fn write(transcript: &Transcript, losses: &mut Losses) -> String {
    losses.add_of_requests(transcript);
    let prompt = transcript.messages.iter().take_while(|message| message.role == Role::System).count();
    let (prompt, rest) = transcript.messages.split_at(prompt);
    let names = transcript.messages.iter().filter(|message| message.role == Role::System && !message.extra.is_empty());
    names.for_each(|_| losses.add(Loss::Extra));
    prompt.iter().skip(1).for_each(|_| losses.add(Loss::System));
    let system: Vec<Json> = prompt.iter().flat_map(|message| texts(message, losses)).map(text_json).collect();
    let mut messages: Vec<Json> = Vec::new();
    // The results of one reply belong to one message.
    let mut results: Vec<Json> = Vec::new();
    for message in rest {
        if message.role == Role::Tool {
            results.extend(message.results().map(result_json));
            continue;
        }
        flush(&mut results, &mut messages);
        messages.push(message_json(message, losses));
    }
    flush(&mut results, &mut messages);
    let system = (!prompt.is_empty()).then_some(Json::Array(system));
    let tools = transcript.tools.iter().map(|tool| tool_json(tool, "input_schema")).collect();
    request_line(transcript, tools, system, "messages", messages)
}

fn flush(results: &mut Vec<Json>, messages: &mut Vec<Json>) {
    if !results.is_empty() {
        messages.push(json!({ "role": "user", "content": std::mem::take(results) }));
    }
}

fn text_json(text: &str) -> Json {
    json!({ "type": "text", "text": text })
}

fn message_json(message: &Message, losses: &mut Losses) -> Json {
    let role = match message.role {
        Role::Assistant => "assistant",
        Role::System => {
            losses.add(Loss::System);
            "user"
        }
        _ => "user",
    };
    let content: Vec<Json> = message.parts.iter().filter_map(|part| block(&part.body, losses)).collect();
    json!({ "role": role, "content": content })
}

/// Returns the content block of a part, or `None` if it is lost.
fn block(body: &Body, losses: &mut Losses) -> Option<Json> {
    Some(match body {
        Body::Text(text) if text.is_empty() => {
            losses.add(Loss::EmptyText);
            return None;
        }
        Body::Text(text) => text_json(text),
        Body::Thinking { text, signature: Some(data) } if text.is_empty() => {
            json!({ "type": "redacted_thinking", "data": data.as_ref() })
        }
        Body::Thinking { text, signature } => {
            let mut json = json!({ "type": "thinking", "thinking": text.as_ref() });
            if let Some(signature) = signature {
                json["signature"] = signature.as_ref().into();
            }
            json
        }
        Body::ToolCall { id, name, arguments } => {
            json!({ "type": "tool_use", "id": id.as_str(), "name": name.as_str(), "input": input(arguments, losses) })
        }
        other => {
            losses.add_body(other);
            return None;
        }
    })
}

/// The input of a call, which must be an object.
fn input(arguments: &Arguments, losses: &mut Losses) -> Json {
    object(arguments).unwrap_or_else(|| {
        losses.add(Loss::Arguments);
        json!({ "arguments": arguments.text() })
    })
}

fn result_json(result: &ToolResult) -> Json {
    let mut json = json!({ "type": "tool_result", "tool_use_id": result.id.as_str(), "content": result.text.as_ref() });
    if result.is_error {
        json["is_error"] = true.into();
    }
    json
}
