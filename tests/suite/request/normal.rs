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
        prompt.parts = vec![collapsed(&prompt.parts.join(" "))];
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
fn begins_with_system(messages: &[NormalMessage]) -> bool {
    messages.first().is_some_and(|first| first.role == Role::System)
}

/// Both lists in a form in which they are equal if a client of Anthropic sends what is expected: system messages after the
/// first message may stand elsewhere, or be messages of a person, but none is lost.
pub(crate) fn placed(lists: [Vec<NormalMessage>; 2]) -> [Vec<NormalMessage>; 2] {
    let [sent, expected] = without_moved(lists);
    let has_same_prompt = || sent.first().map(|first| &first.parts) == expected.first().map(|first| &first.parts);
    if begins_with_system(&sent) != begins_with_system(&expected) || begins_with_system(&sent) && !has_same_prompt() {
        // One that is left as the first message of all, or of the list, has become one of a person.
        return [sent, expected].map(|list| without_prompt(&list));
    }
    let lost = missing(&sent, &late_system_texts(&expected));
    assert_eq!(lost, [""; 0], "these are not sent");
    let texts = [&sent, &expected].map(|list| late_system_texts(list)).concat();
    [sent, expected].map(|list| without_texts(&list, &texts))
}

/// Both lists without the system messages that follow the prompt in what is expected, because all between has gone, and that
/// are sent behind a new message.
fn without_moved([sent, mut expected]: [Vec<NormalMessage>; 2]) -> [Vec<NormalMessage>; 2] {
    let prompt = |list: &[NormalMessage]| match list.first() {
        Some(first) if first.role == Role::System => first.parts.concat(),
        _ => String::new(),
    };
    let own = prompt(&sent);
    let whole = prompt(&expected);
    let Some(mut moved) = whole.strip_prefix(&own).map(str::trim_start).filter(|rest| !rest.is_empty()) else {
        return [sent, expected];
    };
    let spoken = sent.iter().skip(usize::from(begins_with_system(&sent)));
    let parts =
        spoken.filter(|message| matches!(message.role, Role::System | Role::User)).flat_map(|message| &message.parts);
    let mut texts = Vec::new();
    for part in parts {
        let rest = moved.strip_prefix(collapsed(part).as_str());
        if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            moved = rest.trim_start();
            texts.push(part.clone());
        }
    }
    if !moved.is_empty() {
        return [sent, expected];
    }
    expected.remove(0);
    if !own.is_empty() {
        expected.insert(0, sent[0].clone());
    }
    [sent, expected].map(|list| without_texts(&list, &texts))
}

/// A text with one space for each stretch of white space.
fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The messages with the system prompt as messages of a person, and the texts of a person that follow each other as one.
fn without_prompt(messages: &[NormalMessage]) -> Vec<NormalMessage> {
    let mut spoken: Vec<NormalMessage> = Vec::new();
    for message in messages {
        let is_spoken = matches!(message.role, Role::System | Role::User);
        let text = collapsed(&message.parts.join(" "));
        match spoken.last_mut() {
            Some(last) if is_spoken && last.role == Role::User => last.parts[0] = format!("{} {text}", last.parts[0]),
            _ if is_spoken => spoken.push(NormalMessage { role: Role::User, parts: vec![text] }),
            _ => spoken.push(message.clone()),
        }
    }
    spoken
}

/// Those of these texts that are in no message of a person or the system.
fn missing(messages: &[NormalMessage], texts: &[String]) -> Vec<String> {
    let spoken = messages.iter().filter(|message| matches!(message.role, Role::System | Role::User));
    let mut parts: Vec<&String> = spoken.flat_map(|message| &message.parts).collect();
    let mut missing = texts.to_vec();
    missing.retain(|text| parts.iter().position(|part| *part == text).map(|at| parts.remove(at)).is_none());
    missing
}

/// The texts of system messages after the first message.
fn late_system_texts(messages: &[NormalMessage]) -> Vec<String> {
    let late = messages.iter().skip(1).filter(|message| message.role == Role::System);
    late.flat_map(|message| message.parts.iter().cloned()).collect()
}

/// The messages without these texts of a person or the system, wherever they stand.
fn without_texts(messages: &[NormalMessage], texts: &[String]) -> Vec<NormalMessage> {
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
