//! Requests of the OpenAI Responses API.

use serde_json::{Value as Json, json};
use trimtab_base::conversation::{Body, Message, Role};
use trimtab_recordings::transcript::Transcript;

use super::loss::{Loss, Losses};
use super::{ConversionFormat, check_order, request_line, texts, tool_json};

pub(super) static FORMAT: ConversionFormat =
    ConversionFormat { name: "openai_responses", summary: "A request of the OpenAI Responses API per line", write };

fn write(transcript: &Transcript, losses: &mut Losses) -> String {
    losses.add_of_requests(transcript);
    let tool = |tool| {
        let mut json = tool_json(tool, "parameters");
        json["type"] = "function".into();
        json
    };
    let pairs = transcript.messages.windows(2);
    let joined = pairs.filter(|pair| pair.iter().all(|message| message.role == Role::Assistant));
    joined.for_each(|_| losses.add(Loss::Boundary));
    let items = transcript.messages.iter().flat_map(|message| items(message, losses)).collect();
    request_line(transcript, transcript.tools.iter().map(tool).collect(), None, "input", items)
}

/// The items for a message: reasoning, texts, calls or results.
fn items(message: &Message, losses: &mut Losses) -> Vec<Json> {
    if message.role == Role::Tool {
        return message
            .results()
            .map(|result| {
                if result.is_error {
                    losses.add(Loss::Error);
                }
                json!({ "type": "function_call_output", "call_id": result.id.as_str(), "output": result.text.as_ref() })
            })
            .collect();
    }
    check_order(message, losses);
    if message.extra.contains_key("name") && message.role == Role::System {
        losses.add(Loss::Extra);
    }
    let reasoning = message.parts.iter().filter_map(|part| match &part.body {
        Body::Thinking { text, signature } => Some(reasoning_json(text, signature.as_deref())),
        _ => None,
    });
    let mut items: Vec<Json> = reasoning.collect();
    let kind = if message.role == Role::Assistant { "output_text" } else { "input_text" };
    let texts: Vec<Json> =
        texts(message, losses).into_iter().map(|text| json!({ "type": kind, "text": text })).collect();
    let has_calls = message.calls().next().is_some();
    if !texts.is_empty() || !has_calls && items.is_empty() {
        items.push(json!({ "type": "message", "role": message.role.word(), "content": texts }));
    }
    items.extend(message.calls().map(|(id, name, arguments)| {
        json!({ "type": "function_call", "call_id": id.as_str(), "name": name.as_str(), "arguments": arguments.text() })
    }));
    items
}

fn reasoning_json(text: &str, encrypted: Option<&str>) -> Json {
    let summary: Vec<Json> =
        (!text.is_empty()).then(|| json!({ "type": "summary_text", "text": text })).into_iter().collect();
    let mut json = json!({ "type": "reasoning", "summary": summary });
    if let Some(encrypted) = encrypted {
        json["encrypted_content"] = encrypted.into();
    }
    json
}
