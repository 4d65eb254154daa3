//! Writer of Trimtab JSONL. Reading the output gives the same transcripts and messages.

use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, ImageSize, Message, Recall, Service, Tier, ToolResult, Usage};
use trimtab_base::playbook::Playbook;

use super::wire::Indexed;
use super::{HarnessCall, HarnessCallKind, Live, RecordedAnswer, Tool, Transcript, event_json, trimtab};

/// Formats a transcript as JSON lines: a header, then the answers of a live session, then one message or event
/// of the host or call of the harness per line.
pub fn write(transcript: &Transcript) -> String {
    let mut text = header_json(transcript).to_string();
    text.push('\n');
    for answer in transcript.live.iter().flat_map(|live| &live.answers) {
        text.push_str(&answer_json(answer).to_string());
        text.push('\n');
    }
    let mut events = transcript.events.iter().peekable();
    let mut calls = transcript.harness_calls.iter().peekable();
    for at in 0..=transcript.messages.len() {
        while let Some(recorded) = events.next_if(|recorded| recorded.messages <= at) {
            text.push_str(&event_json(&recorded.event, recorded.moment).to_string());
            text.push('\n');
        }
        while let Some(call) = calls.next_if(|call| call.messages <= at) {
            text.push_str(&harness_call_json(call).to_string());
            text.push('\n');
        }
        if let Some(message) = transcript.messages.get(at) {
            text.push_str(&line_json(message).to_string());
            text.push('\n');
        }
    }
    text
}

/// Converts a message to the JSON of the format, with its content always as a list of parts.
pub fn message_json(message: &Message) -> Json {
    let mut map = Map::new();
    map.insert("role".to_owned(), message.role.word().into());
    map.insert("content".to_owned(), message.parts.iter().map(|part| part_json(&part.body)).collect());
    if let Some(usage) = message.usage {
        map.insert("usage".to_owned(), usage_json(usage));
    }
    if let Some(sent) = message.sent {
        map.insert("sent".to_owned(), sent.into());
    }
    let mut string = |key: &str, text: Option<&str>| text.map(|text| map.insert(key.to_owned(), text.into()));
    string("at", message.at.as_deref());
    string("model", message.model.as_deref());
    string("effort", message.effort.as_deref());
    string("origin", trimtab::origin_name(message.origin));
    let mut flag = |key: &str, flag: Option<bool>| flag.map(|flag| map.insert(key.to_owned(), flag.into()));
    flag("run", message.run);
    flag("harness", message.harness.then_some(true));
    flag("resets", message.resets.then_some(true));
    flag("kept", message.kept.then_some(true));
    flag("inferred_error", message.inferred_error.then_some(true));
    if let Some(compaction) = message.compaction() {
        let mut json = with_tokens(json!({ "automatic": compaction.automatic }), compaction.tokens);
        if let Some(after) = compaction.after {
            json["after"] = after.into();
        }
        map.insert("compaction".to_owned(), json);
    }
    if let Some(cleared) = message.cleared() {
        let results: Vec<&str> = cleared.results.iter().map(SmolStr::as_str).collect();
        map.insert("cleared".to_owned(), with_tokens(json!({ "results": results }), cleared.tokens));
    }
    if message.head_change().is_any() {
        map.insert("changed".to_owned(), message.head_change().words().collect());
    }
    map.extend(message.extra.clone());
    Json::Object(map)
}

fn usage_json(usage: Usage) -> Json {
    let Usage { input, cache_read, cache_write, hour_write, output, service } = usage;
    let mut json = json!({ "input": input, "cache_read": cache_read, "cache_write": cache_write, "output": output });
    if hour_write > 0 {
        json["cache_write_1h"] = hour_write.into();
    }
    let Service { is_fast, is_us_only, tier } = service;
    let words = [("speed", is_fast, "fast"), ("inference_geo", is_us_only, "us")];
    for (key, _, word) in
        words.into_iter().chain([("service_tier", tier != Tier::Standard, tier.name())]).filter(|word| word.1)
    {
        json[key] = word.into();
    }
    json
}

fn harness_call_json(call: &HarnessCall) -> Json {
    let mut json = json!({ "usage": usage_json(call.usage) });
    if let Some(model) = &call.model {
        json["model"] = model.as_str().into();
    }
    if call.kind != HarnessCallKind::Other {
        json["kind"] = call.kind.name().into();
    }
    json!({ "harness_call": json })
}

fn with_tokens(mut json: Json, tokens: Option<u64>) -> Json {
    if let Some(tokens) = tokens {
        json["tokens"] = tokens.into();
    }
    json
}

/// Converts a message to the JSON of its line, where the content is a string if it is a single text.
fn line_json(message: &Message) -> Json {
    let mut json = message_json(message);
    if let [part] = message.parts.as_slice()
        && let Body::Text(text) = &part.body
    {
        json["content"] = text.as_ref().into();
    }
    json
}

fn header_json(transcript: &Transcript) -> Json {
    let mut map = Map::new();
    map.insert("trimtab".to_owned(), 1.into());
    if !transcript.id.is_empty() {
        map.insert("id".to_owned(), transcript.id.as_str().into());
    }
    if let Some(agent) = &transcript.agent {
        map.insert("agent".to_owned(), agent.as_str().into());
    }
    if transcript.agent_depth() != u64::from(transcript.agent.is_some()) {
        map.insert("agent_depth".to_owned(), transcript.agent_depth().into());
    }
    if let Some(model) = &transcript.model {
        map.insert("model".to_owned(), model.as_str().into());
    }
    if let Some(window) = transcript.window {
        map.insert("window".to_owned(), window.into());
    }
    if !transcript.tools.is_empty() {
        map.insert("tools".to_owned(), transcript.tools.iter().map(tool_json).collect());
    }
    if let Some(tokens) = transcript.tool_tokens {
        map.insert("tool_tokens".to_owned(), tokens.into());
    }
    if let Some(started) = &transcript.started {
        map.insert("started".to_owned(), started.as_str().into());
    }
    if let Some(directory) = &transcript.directory {
        map.insert("directory".to_owned(), directory.as_str().into());
    }
    if transcript.missing_history {
        map.insert("missing_history".to_owned(), true.into());
    }
    if let Some(live) = &transcript.live {
        let Live { plan, window, overhead, factor, tool_tokens, max_iterations, playbook, .. } = live;
        let mut json = json!({ "plan": plan.as_str(), "overhead": overhead, "factor": factor });
        if let Some(window) = window {
            json["window"] = (*window).into();
        }
        if let Some(iterations) = max_iterations {
            json["max_iterations"] = (*iterations).into();
        }
        if *playbook != Playbook::default() {
            json["playbook"] = json!(playbook);
        }
        let flags = [
            ("host_reflects", live.host_reflects),
            ("recalls_by_command", live.recall == Recall::Command),
            ("has_fixed_window", live.has_fixed_window),
            ("follows_replies", live.follows_replies),
        ];
        for (key, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
            json[key] = true.into();
        }
        if !tool_tokens.is_empty() {
            json["tool_tokens"] = json!(tool_tokens);
        }
        map.insert("live".to_owned(), json);
    }
    map.extend(transcript.extra.clone());
    Json::Object(map)
}

/// Converts an answer that a live session received to the JSON of its line.
pub fn answer_json(answer: &RecordedAnswer) -> Json {
    let answer = match answer {
        RecordedAnswer::Summary(text) => json!({ "summary": text }),
        RecordedAnswer::Failed(reason) => json!({ "failed": reason }),
        RecordedAnswer::Retry => "retry".into(),
        RecordedAnswer::Confirmed => "confirmed".into(),
        RecordedAnswer::Declined => "declined".into(),
        RecordedAnswer::Continue => "continue".into(),
        RecordedAnswer::Strategies(deltas) => json!({ "strategies": deltas }),
    };
    json!({ "answer": answer })
}

fn tool_json(tool: &Tool) -> Json {
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

fn part_json(body: &Body) -> Json {
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
            json!({ "type": "tool_call", "id": id.as_str(), "name": name.as_str(), "arguments": arguments_json(arguments) })
        }
        Body::ToolResult(result) => result_json(result),
        Body::Other(json) => other_json(json),
    }
}

/// Returns a part as recorded, but wraps it if the reader would take it for a part of this format.
fn other_json(json: &Json) -> Json {
    let text = json.to_string();
    let is_plain = Indexed::of(&text)
        .is_some_and(|indexed| matches!(trimtab::parse_part(indexed.raw()), Body::Other(read) if *read == *json));
    if is_plain { json.clone() } else { json!({ "type": "other", "value": json }) }
}

fn arguments_json(arguments: &Arguments) -> Json {
    match arguments {
        Arguments::Text(text) => (**text).into(),
        Arguments::Json(json) => Json::clone(json),
    }
}

fn result_json(result: &ToolResult) -> Json {
    let mut json = json!({ "type": "tool_result", "id": result.id.as_str() });
    if let Some(name) = &result.name {
        json["name"] = name.as_str().into();
    }
    json["content"] = if result.attachments.is_empty() {
        result.text.as_ref().into()
    } else {
        let text = (!result.text.is_empty()).then(|| Body::Text(result.text.clone()));
        text.iter().chain(&result.attachments).map(part_json).collect()
    };
    json["is_error"] = result.is_error.into();
    json
}
