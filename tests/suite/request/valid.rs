//! What providers accept.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value as Json;
use trimtab::conversation::{Body, Message, Part, Role};
use trimtab::request::Dialect;

use super::list_key;

/// Messages that a provider accepts: a person speaks first, every call has its result, no text is blank.
pub(crate) fn repaired(messages: &[Arc<Message>], dialect: Dialect) -> Vec<Arc<Message>> {
    let mut repaired: Vec<Message> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for message in messages.iter().map(Arc::as_ref) {
        if message.role == Role::Tool {
            let id = message.results().next().map(|result| result.id.to_string()).unwrap_or_default();
            if let Some(at) = open.iter().position(|call| *call == id) {
                open.remove(at);
                repaired.push(message.clone());
            }
            continue;
        }
        answer(&mut open, &mut repaired);
        let mut message = message.clone();
        message.parts.retain(|part| match &part.body {
            Body::Text(text) | Body::Thinking { text, .. } => !text.trim().is_empty(),
            _ => true,
        });
        while matches!(message.parts.last().map(|part| &part.body), Some(Body::Thinking { .. })) {
            message.parts.pop();
        }
        let is_content = |part: &Part| !matches!(part.body, Body::Thinking { .. });
        let is_early = message.role == Role::Assistant && repaired.iter().all(|message| message.role == Role::System);
        if message.parts.iter().any(is_content) && !is_early {
            open = message.calls().map(|(id, ..)| id.to_string()).collect();
            repaired.push(message);
        }
    }
    answer(&mut open, &mut repaired);
    match dialect {
        Dialect::Anthropic => place_system_messages(&mut repaired),
        // It has none after the first message.
        Dialect::Gemini => {
            let first = repaired.first().cloned();
            repaired.retain(|message| message.role != Role::System);
            repaired.splice(0..0, first.filter(|first| first.role == Role::System));
        }
        _ => {}
    }
    repaired.into_iter().map(Arc::new).collect()
}

/// Removes the system messages after the first message that Anthropic would not take.
fn place_system_messages(messages: &mut Vec<Message>) {
    let is_misplaced = |at: usize, messages: &[Message]| {
        let is_after_user = matches!(messages[at - 1].role, Role::User | Role::Tool);
        let is_before_reply = messages.get(at + 1).is_none_or(|next| next.role == Role::Assistant);
        messages[at].role == Role::System && !(is_after_user && is_before_reply)
    };
    while let Some(at) = (1..messages.len()).find(|at| is_misplaced(*at, messages)) {
        messages.remove(at);
    }
}

fn answer(open: &mut Vec<String>, messages: &mut Vec<Message>) {
    let results = open.drain(..).map(|id| Message::new(Role::Tool, vec![Part::result(id, "done", false)]));
    messages.extend(results);
}

/// What a provider would reject in a request.
pub(crate) fn problems(dialect: Dialect, json: &str) -> Vec<String> {
    let root: Json = match serde_json::from_str(json) {
        Ok(root) => root,
        Err(error) => return vec![error.to_string()],
    };
    let list = root.as_array().or_else(|| root[list_key(dialect)].as_array()).cloned().unwrap_or_default();
    let mut problems = Vec::new();
    for element in &list {
        if ["content", "parts"].iter().any(|key| element[key].as_array().is_some_and(Vec::is_empty)) {
            problems.push(format!("empty content: {element}"));
        }
    }
    match dialect {
        Dialect::OpenAiChat => chat_problems(&list, &mut problems),
        Dialect::OpenAiResponses => responses_problems(&list, &mut problems),
        Dialect::Gemini => gemini_problems(&list, &mut problems),
        Dialect::Anthropic => anthropic_problems(&list, &mut problems),
        other => panic!("nothing says what is valid in {other:?}"),
    }
    problems
}

fn text(json: &Json) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

fn chat_problems(list: &[Json], problems: &mut Vec<String>) {
    let mut open: HashSet<String> = HashSet::new();
    for message in list {
        if message["role"] == "tool" {
            if !open.remove(&text(&message["tool_call_id"])) {
                problems.push(format!("no call: {message}"));
            }
            continue;
        }
        if !open.is_empty() {
            problems.push(format!("no result before {message}"));
        }
        open = message["tool_calls"].as_array().into_iter().flatten().map(|call| text(&call["id"])).collect();
        if message["content"].is_null() && message["role"] != "assistant" {
            problems.push(format!("no content: {message}"));
        }
    }
}

fn responses_problems(list: &[Json], problems: &mut Vec<String>) {
    let mut open: HashSet<String> = HashSet::new();
    let mut after_reasoning = true;
    for item in list {
        let kind = text(&item["type"]);
        if kind.ends_with("_call_output") && !open.remove(&text(&item["call_id"])) {
            problems.push(format!("no call: {item}"));
        } else if kind.ends_with("_call") {
            open.insert(text(&item["call_id"]));
        }
        if kind == "reasoning" {
            after_reasoning = false;
        } else if kind.ends_with("_call") || kind == "message" && item["role"] == "assistant" {
            after_reasoning = true;
        } else if !after_reasoning && kind != "item_reference" {
            problems.push(format!("reasoning without what follows it, before {item}"));
        }
    }
    if !open.is_empty() {
        problems.push(format!("no results: {open:?}"));
    }
}

/// Adjacent contents of one role count as one.
fn gemini_problems(list: &[Json], problems: &mut Vec<String>) {
    let mut turns: Vec<(bool, Vec<Json>)> = Vec::new();
    for content in list.iter().filter(|content| content["role"] != "system") {
        let is_model = content["role"] == "model";
        let parts = content["parts"].as_array().cloned().unwrap_or_default();
        match turns.last_mut() {
            Some((last, all)) if *last == is_model => all.extend(parts),
            _ => turns.push((is_model, parts)),
        }
    }
    if turns.first().is_some_and(|(is_model, _)| *is_model) {
        problems.push("the first content is not from the user".to_owned());
    }
    let ids = |parts: &[Json], keys: [&str; 2]| -> HashSet<String> {
        let functions = parts.iter().filter_map(|part| keys.iter().find_map(|key| part.get(key)));
        functions.map(|function| text(&function["id"])).collect()
    };
    let mut open = HashSet::new();
    for (is_model, parts) in &turns {
        let results = ids(parts, ["functionResponse", "function_response"]);
        if *is_model && !results.is_empty() || !*is_model && results != open {
            problems.push(format!("results {results:?} for calls {open:?} in {parts:?}"));
        }
        open = ids(parts, ["functionCall", "function_call"]);
        let is_empty = |part: &&Json| part["text"] == "" && part.get("thoughtSignature").is_none();
        problems.extend(parts.iter().find(is_empty).map(|part| format!("empty text: {part}")));
    }
    if !open.is_empty() {
        problems.push(format!("no results for {open:?}"));
    }
}

/// Adjacent messages of one role count as one.
fn anthropic_problems(list: &[Json], problems: &mut Vec<String>) {
    // A list may begin with the system prompt.
    let is_system = |(_, message): &(usize, &Json)| message["role"] == "system";
    for (at, message) in list.iter().enumerate().skip_while(is_system).filter(is_system) {
        let is_after_user = list[at - 1]["role"] == "user";
        if !is_after_user || list.get(at + 1).is_some_and(|next| next["role"] != "assistant") {
            problems.push(format!("misplaced at {at}: {message}"));
        }
    }
    let mut turns: Vec<(String, Vec<Json>)> = Vec::new();
    for message in list.iter().filter(|message| message["role"] != "system") {
        let blocks = match &message["content"] {
            Json::Array(blocks) => blocks.clone(),
            text => vec![serde_json::json!({ "type": "text", "text": text })],
        };
        let role = text(&message["role"]);
        match turns.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    if turns.first().is_some_and(|(role, _)| role != "user") {
        problems.push("the first message is not from the user".to_owned());
    }
    let mut open: HashSet<String> = HashSet::new();
    for (role, blocks) in &turns {
        let mut is_leading = true;
        let mut calls = HashSet::new();
        for block in blocks {
            match block["type"].as_str().unwrap_or_default() {
                "tool_result" if !is_leading => problems.push(format!("result after other content: {block}")),
                "tool_result" if !open.remove(&text(&block["tool_use_id"])) => {
                    problems.push(format!("no call: {block}"));
                }
                "tool_result" => continue,
                "tool_use" => drop(calls.insert(text(&block["id"]))),
                "text" if text(&block["text"]).trim().is_empty() => problems.push(format!("blank text: {block}")),
                _ => {}
            }
            is_leading = false;
        }
        if !open.is_empty() {
            problems.push(format!("no results for {open:?} in {role} {blocks:?}"));
        }
        open = calls;
    }
}
