//! What every dialect can say of a message.

use trimtab::conversation::{Arguments, Body, Message, Role, ToolResult};

/// Adjacent messages of one role, as one message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NormalMessage {
    role: Role,
    parts: Vec<String>,
}

const THINKING: &str = "thinking: ";

/// Messages without what a dialect cannot say: the borders of adjacent messages, blank texts, white space at the ends of
/// texts, the order of texts and attachments in a result.
pub(crate) fn normal(messages: &[Message]) -> Vec<NormalMessage> {
    let mut normal: Vec<NormalMessage> = Vec::new();
    for message in messages {
        let parts: Vec<String> = message.parts.iter().filter_map(|part| part_text(&part.body)).collect();
        match normal.last_mut() {
            _ if parts.is_empty() => {}
            Some(last) if last.role == message.role && last.role != Role::Tool => last.parts.extend(parts),
            _ => normal.push(NormalMessage { role: message.role, parts }),
        }
    }
    // A dialect may join the texts of the system prompt.
    if let Some(prompt) = normal.first_mut().filter(|first| first.role == Role::System) {
        prompt.parts = vec![prompt.parts.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")];
    }
    normal
}

pub(crate) fn remove_thinking(messages: &mut Vec<NormalMessage>) {
    let old = std::mem::take(messages);
    for mut message in old {
        message.parts.retain(|part| !part.starts_with(THINKING));
        match messages.last_mut() {
            _ if message.parts.is_empty() => {}
            Some(last) if last.role == message.role && last.role != Role::Tool => last.parts.extend(message.parts),
            _ => messages.push(message),
        }
    }
}

/// Whether the first message is a system message.
pub(crate) fn begins_with_system(messages: &[NormalMessage]) -> bool {
    messages.first().is_some_and(|first| first.role == Role::System)
}

/// The texts of system messages after the first message.
pub(crate) fn late_system_texts(messages: &[NormalMessage]) -> Vec<String> {
    let late = messages.iter().skip(1).filter(|message| message.role == Role::System);
    late.flat_map(|message| message.parts.iter().cloned()).collect()
}

/// The messages without these texts of a person or the system, wherever they stand.
pub(crate) fn without_texts(messages: &[NormalMessage], texts: &[String]) -> Vec<NormalMessage> {
    let mut rest: Vec<NormalMessage> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let mut message = message.clone();
        if at > 0 && matches!(message.role, Role::System | Role::User) || message.role == Role::User {
            message.parts.retain(|part| !texts.contains(part));
        }
        match rest.last_mut() {
            _ if message.parts.is_empty() => {}
            Some(last) if last.role == message.role && last.role != Role::Tool => last.parts.extend(message.parts),
            _ => rest.push(message),
        }
    }
    rest
}

fn part_text(body: &Body) -> Option<String> {
    match body {
        Body::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Body::Thinking { text, signature } => Some(format!("{THINKING}{text} {signature:?}")),
        Body::ToolCall { id, name, arguments } => Some(format!("call {id} {name} {}", arguments_text(arguments))),
        Body::ToolResult(result) => Some(result_text(result)),
        Body::Image { .. } => Some(format!("{body:?}")),
        Body::Other(json) => Some(sorted(json)),
    }
}

fn sorted(json: &serde_json::Value) -> String {
    let mut json = json.clone();
    json.sort_all_objects();
    json.to_string()
}

fn arguments_text(arguments: &Arguments) -> String {
    arguments.parsed().map_or_else(|| arguments.text().into_owned(), sorted)
}

fn result_text(result: &ToolResult) -> String {
    let mut pieces: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        pieces.extend(text.split('\n').map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()));
    };
    add(&result.text);
    for attachment in &result.attachments {
        match attachment {
            Body::Text(text) => add(text),
            other => add(&part_text(other).unwrap_or_default()),
        }
    }
    pieces.sort();
    format!("result {} {} {pieces:?}", result.id, result.is_error)
}
