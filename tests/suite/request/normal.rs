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

/// The messages with other texts.
pub(crate) fn with_texts(mut messages: Vec<NormalMessage>, change: impl Fn(&str) -> String) -> Vec<NormalMessage> {
    for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
        *part = change(part);
    }
    messages
}

/// The text of the system prompt; empty if there is none.
pub(crate) fn prompt(messages: &[NormalMessage]) -> &str {
    match messages {
        [NormalMessage { role: Role::System, parts }, ..] => parts.first().map_or("", String::as_str),
        _ => "",
    }
}

/// The messages without this text at the beginning of the system prompt.
pub(crate) fn without_prompt(messages: &[NormalMessage], text: &str) -> Vec<NormalMessage> {
    let Some(rest) = prompt(messages).strip_prefix(text) else { return messages.to_vec() };
    let rest = Some(rest.trim_start()).filter(|rest| !rest.is_empty());
    let rest = rest.map(|rest| NormalMessage { role: Role::System, parts: vec![rest.to_owned()] });
    let has_prompt = messages.first().is_some_and(|first| first.role == Role::System);
    rest.into_iter().chain(messages.iter().skip(usize::from(has_prompt)).cloned()).collect()
}

/// The messages with another text at the beginning of the system prompt.
pub(crate) fn with_prompt(messages: &[NormalMessage], old: &str, new: &str) -> Vec<NormalMessage> {
    let rest = if old.is_empty() { messages.to_vec() } else { without_prompt(messages, old) };
    let text = format!("{new} {}", prompt(&rest)).trim().to_owned();
    let others = rest.iter().skip(usize::from(!prompt(&rest).is_empty())).cloned();
    let first = (!text.is_empty()).then(|| NormalMessage { role: Role::System, parts: vec![text] });
    first.into_iter().chain(others).collect()
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

/// Both lists in a form in which they are equal if a client of Anthropic sends what is expected: between two replies or results,
/// system messages may stand elsewhere, be a part of the prompt, or be messages of a person. None is lost, and what a person says
/// keeps its order.
pub(crate) fn placed(lists: [Vec<NormalMessage>; 2]) -> [Vec<NormalMessage>; 2] {
    let [sent, expected] = lists.map(|list| gaps(&list));
    let mut missing = Vec::new();
    for (sent, expected) in sent.iter().zip(&expected) {
        let mut said = sent.spoken.iter().map(|(_, text)| text);
        let by_person = expected.spoken.iter().filter(|(role, _)| *role == Role::User);
        missing.extend(by_person.map(|(_, text)| text.clone()).filter(|text| !said.any(|said| said == text)));
    }
    let [sent, mut expected] = [sent, expected].map(|gaps| gaps.into_iter().flat_map(Gap::words).collect::<Vec<_>>());
    if !missing.is_empty() {
        // Then the lists are not equal, even if they have the same words.
        missing.insert(0, "not sent, or in another order".to_owned());
        expected.push(NormalMessage { role: Role::User, parts: missing });
    }
    [sent, expected]
}

/// What is said before a reply, a result or the end.
#[derive(Default)]
struct Gap {
    /// The texts of the system and of persons, with one space for each stretch of white space.
    spoken: Vec<(Role, String)>,
    /// The reply or result; none at the end.
    end: Option<NormalMessage>,
}

impl Gap {
    /// The words that are said, in alphabetical order, and what follows.
    fn words(self) -> Vec<NormalMessage> {
        let words = self.spoken.iter().flat_map(|(_, text)| text.split(' ').map(str::to_owned));
        let mut words: Vec<String> = words.collect();
        words.sort_unstable();
        let said = (!words.is_empty()).then_some(NormalMessage { role: Role::User, parts: words });
        said.into_iter().chain(self.end).collect()
    }
}

/// The messages, divided after each reply and result.
fn gaps(messages: &[NormalMessage]) -> Vec<Gap> {
    let mut gaps = vec![Gap::default()];
    for message in messages {
        let Some(last) = gaps.last_mut() else { break };
        if matches!(message.role, Role::System | Role::User) {
            last.spoken.extend(message.parts.iter().map(|part| (message.role, collapsed(part))));
        } else {
            last.end = Some(message.clone());
            gaps.push(Gap::default());
        }
    }
    gaps
}

/// A text with one space for each stretch of white space.
fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
