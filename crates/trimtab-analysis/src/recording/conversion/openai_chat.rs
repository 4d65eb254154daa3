//! Requests of the OpenAI Chat Completions API.

use serde_json::{Map, Value as Json, json};
use trimtab_base::conversation::{Body, Message, Role, ToolResult};
use trimtab_recordings::transcript::Transcript;

use super::loss::{Loss, Losses};
use super::{ConversionFormat, check_order, request_line, texts, tool_json};

pub(super) static FORMAT: ConversionFormat =
    ConversionFormat { name: "openai_chat", summary: "A request of the OpenAI Chat Completions API per line", write };

fn write(transcript: &Transcript, losses: &mut Losses) -> String {
    losses.add_of_requests(transcript);
    let tool = |tool| json!({ "type": "function", "function": tool_json(tool, "parameters") });
    let messages = transcript.messages.iter().flat_map(|message| messages(message, losses)).collect();
    request_line(transcript, transcript.tools.iter().map(tool).collect(), None, "messages", messages)
}

/// The messages for one of the transcript.
fn messages(message: &Message, losses: &mut Losses) -> Vec<Json> {
    if message.role == Role::Tool {
        return message.results().map(|result| result_json(result, losses)).collect();
    }
    check_order(message, losses);
    let thinking = message.parts.iter().filter(|part| matches!(part.body, Body::Thinking { .. }));
    thinking.for_each(|part| losses.add_body(&part.body));
    let texts = texts(message, losses);
    let calls: Vec<Json> = message
        .calls()
        .map(|(id, name, arguments)| {
            let function = json!({ "name": name.as_str(), "arguments": arguments.text() });
            json!({ "id": id.as_str(), "type": "function", "function": function })
        })
        .collect();
    let mut json = Map::new();
    json.insert("role".to_owned(), message.role.word().into());
    if let Some(name) = message.extra.get("name").filter(|_| message.role == Role::System) {
        json.insert("name".to_owned(), name.clone());
    }
    let content = match texts.as_slice() {
        [] if !calls.is_empty() => Json::Null,
        [] => "".into(),
        [text] => (*text).into(),
        several => several.iter().map(|text| json!({ "type": "text", "text": text })).collect(),
    };
    json.insert("content".to_owned(), content);
    if !calls.is_empty() {
        json.insert("tool_calls".to_owned(), Json::Array(calls));
    }
    vec![Json::Object(json)]
}

fn result_json(result: &ToolResult, losses: &mut Losses) -> Json {
    if result.is_error {
        losses.add(Loss::Error);
    }
    json!({ "role": "tool", "tool_call_id": result.id.as_str(), "content": result.text.as_ref() })
}
