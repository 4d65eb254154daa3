//! Conversations written as requests, with the shapes and unknown values of real clients.

mod gemini;

use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use trimtab::conversation::{Arguments, Body, Message, Part, Role, ToolResult};
use trimtab::request::{Dialect, Request};

use super::list_key;
use super::scribe::Scribe;

/// The habits of the client that writes: choices that are used in turn.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    choices: Vec<u8>,
    is_body: bool,
    /// Whether all calls have an id, where the dialect allows calls without one.
    names_calls: bool,
}

impl Hand {
    /// A client that sends whole bodies and makes these choices.
    pub(crate) const fn of_bodies(choices: Vec<u8>) -> Self {
        Self { choices, is_body: true, names_calls: true }
    }

    /// The habits of a client that sends whole bodies.
    pub(crate) fn with_body(self) -> Self {
        Self { is_body: true, ..self }
    }

    /// The habits of a client whose calls all have an id, or only some.
    pub(crate) fn naming_calls(self, names_calls: bool) -> Self {
        Self { names_calls, ..self }
    }
}

pub(crate) fn hand() -> impl Strategy<Value = Hand> {
    (prop::collection::vec(any::<u8>(), 1..60), any::<bool>()).prop_map(|(choices, is_body)| Hand {
        choices,
        is_body,
        names_calls: true,
    })
}

/// A history as the elements of a list, each with its text.
pub(crate) struct Written {
    dialect: Dialect,
    before: String,
    elements: Vec<String>,
    without_thinking: Vec<Option<String>>,
    separators: Vec<String>,
    after: String,
}

impl Written {
    pub(crate) fn new(dialect: Dialect, messages: &[Arc<Message>], hand: &Hand) -> Self {
        let mut scribe = Scribe::new(&hand.choices);
        let (mut system, mut rest) = (None, messages);
        if let ([first, others @ ..], true) = (messages, hand.is_body && dialect != Dialect::OpenAiChat) {
            (system, rest) = (Some(first.plain_text()), others);
        }
        let values = match dialect {
            Dialect::OpenAiChat => rest.iter().map(|message| chat(&mut scribe, message)).collect(),
            Dialect::OpenAiResponses => rest.iter().flat_map(|message| responses(&mut scribe, message)).collect(),
            Dialect::Gemini => gemini::contents(&mut scribe, rest, hand.names_calls),
            Dialect::Anthropic => anthropic(&mut scribe, rest),
            other => panic!("{other:?} has no writer"),
        };
        let (mut before, after) =
            if hand.is_body { body(&mut scribe, dialect, system) } else { (String::new(), String::new()) };
        before += scribe.space();
        let mut text = |json: &Json| {
            let mut out = String::new();
            scribe.write(json, &mut out);
            out
        };
        let elements: Vec<String> = values.iter().map(&mut text).collect();
        let without_thinking = values.iter().map(|value| thoughtless(dialect, value).map(|json| text(&json))).collect();
        let separators =
            (0..elements.len()).map(|at| format!("{}{}{}", if at == 0 { "[" } else { "," }, scribe.space(), ""));
        let separators = separators.collect();
        Self { dialect, before, elements, without_thinking, separators, after }
    }

    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }

    pub(crate) fn elements(&self) -> &[String] {
        &self.elements
    }

    /// The request with the first elements.
    pub(crate) fn json(&self, count: usize) -> String {
        self.list(self.elements[..count].iter().map(String::as_str))
    }

    /// The same without thinking.
    pub(crate) fn without_thinking(&self, count: usize) -> String {
        self.list(self.without_thinking[..count].iter().flatten().map(String::as_str))
    }

    /// A request with these elements.
    pub(crate) fn list<'e>(&self, elements: impl Iterator<Item = &'e str>) -> String {
        let separators = self.separators.iter().map(String::as_str).chain(std::iter::repeat(",\n"));
        let mut list: String =
            elements.zip(separators).map(|(element, before)| format!("{before}{element} ")).collect();
        if list.is_empty() {
            list.push('[');
        }
        format!("{}{list}]{}", self.before, self.after)
    }

    /// The reply that begins with an element.
    pub(crate) fn reply(&self, at: usize, whole: &Request) -> String {
        if self.dialect != Dialect::OpenAiResponses {
            return self.elements[at].clone();
        }
        let messages = whole.messages_of(at);
        let items = (at..self.len()).take_while(|other| whole.messages_of(*other) == messages);
        format!("[{}]", items.map(|at| self.elements[at].as_str()).collect::<Vec<_>>().join(" , "))
    }
}

/// The body around the list.
fn body(scribe: &mut Scribe<'_>, dialect: Dialect, system: Option<String>) -> (String, String) {
    let mut before = format!("{{{}\"model\" :\"m\",\"temperature\":1.0,", scribe.space());
    if let Some(system) = system {
        let (key, value) = match dialect {
            Dialect::Anthropic if scribe.choice(2) => ("system", json!([{ "type": "text", "text": system }])),
            Dialect::Anthropic => ("system", system.into()),
            Dialect::Gemini => gemini::system(scribe, &system),
            Dialect::OpenAiResponses => ("instructions", system.into()),
            other => panic!("{other:?} has no writer"),
        };
        write!(before, "\"{key}\":").expect("a string");
        scribe.write(&value, &mut before);
        before.push(',');
    }
    write!(before, "\"{}\":", list_key(dialect)).expect("a string");
    (before, format!("{},\"stream\":true, \"x\":{{\"input\":[1]}}}}\n", scribe.space()))
}

const DATA: &str = "data:image/png;base64,TWFuTWFuTWFuTWFuTWFuTWFuTWFuTWFuTWFuTWFuTWFuTWFuTWFu";

fn chat(scribe: &mut Scribe<'_>, message: &Message) -> Json {
    let mut map = Map::new();
    map.insert("role".to_owned(), message.role.word().into());
    if let Some(result) = message.results().next() {
        map.insert("tool_call_id".to_owned(), result.id.as_str().into());
        map.insert("content".to_owned(), result_content(scribe, result, chat_piece));
        if result.is_error {
            map.insert("is_error".to_owned(), true.into());
        }
        return scribe.strange(Json::Object(map));
    }
    let mut content = Vec::new();
    let mut calls = Vec::new();
    for Part { body, .. } in &message.parts {
        match body {
            Body::Thinking { text, .. } => {
                let key = if scribe.choice(2) { "reasoning" } else { "reasoning_content" };
                map.insert(key.to_owned(), text.as_ref().into());
            }
            Body::ToolCall { id, name, arguments } => {
                let function = json!({ "name": name.as_str(), "arguments": arguments.text() });
                calls.push(scribe.strange(json!({ "id": id.as_str(), "type": "function", "function": function })));
            }
            other => content.push(chat_piece(scribe, other)),
        }
    }
    let content = match content.as_slice() {
        [] => Json::Null,
        [one] if one["type"] == "text" && scribe.choice(2) => one["text"].clone(),
        _ => content.into(),
    };
    map.insert("content".to_owned(), content);
    if !calls.is_empty() {
        map.insert("tool_calls".to_owned(), calls.into());
    }
    scribe.strange(Json::Object(map))
}

fn chat_piece(scribe: &mut Scribe<'_>, body: &Body) -> Json {
    let piece = match body {
        Body::Text(text) => json!({ "type": "text", "text": text.as_ref() }),
        Body::Image { .. } => json!({ "type": "image_url", "image_url": { "url": DATA } }),
        Body::Other(json) => json.as_ref().clone(),
        other => panic!("{other:?}"),
    };
    scribe.strange(piece)
}

/// The content of a result: a text, or a list in which the text may be in pieces.
fn result_content(scribe: &mut Scribe<'_>, result: &ToolResult, piece: fn(&mut Scribe<'_>, &Body) -> Json) -> Json {
    if result.attachments.is_empty() && scribe.choice(2) {
        return result.text.as_ref().into();
    }
    let texts = match result.text.split_once('\n') {
        Some((one, other)) if scribe.choice(2) && !one.is_empty() && !other.is_empty() => vec![one, other],
        _ if result.text.is_empty() => Vec::new(),
        _ => vec![result.text.as_ref()],
    };
    let mut pieces: Vec<Json> = texts.into_iter().map(|text| piece(scribe, &Body::Text(text.into()))).collect();
    let at = if scribe.choice(2) { 0 } else { pieces.len() };
    for attachment in &result.attachments {
        let attachment = piece(scribe, attachment);
        pieces.insert(at, attachment);
    }
    if pieces.is_empty() { Json::from("") } else { pieces.into() }
}

fn responses(scribe: &mut Scribe<'_>, message: &Message) -> Vec<Json> {
    let role = message.role.word();
    let mut items: Vec<Json> = Vec::new();
    for Part { body, .. } in &message.parts {
        let item = match body {
            Body::Thinking { text, signature } => {
                json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": signature,
                "summary": [{ "type": "summary_text", "text": text.as_ref() }] })
            }
            Body::ToolCall { id, name, arguments } => {
                let (kind, key) = match arguments {
                    Arguments::Text(text) if serde_json::from_str::<Json>(text).is_err() => {
                        ("custom_tool_call", "input")
                    }
                    _ => ("function_call", "arguments"),
                };
                json!({ "type": kind, "id": "fc_1", "call_id": id.as_str(), "name": name.as_str(), key: arguments.text() })
            }
            Body::ToolResult(result) => {
                let output = result_content(scribe, result, input_piece);
                json!({ "type": "function_call_output", "call_id": result.id.as_str(), "output": output })
            }
            content => {
                let piece = if message.role == Role::Assistant {
                    output_piece(scribe, content)
                } else {
                    input_piece(scribe, content)
                };
                match items.last_mut().and_then(|last| last.get_mut("content")?.as_array_mut()) {
                    Some(pieces) if message.role != Role::Assistant || scribe.choice(2) => {
                        pieces.push(piece);
                        continue;
                    }
                    _ => json!({ "type": "message", "role": role, "content": [piece] }),
                }
            }
        };
        items.push(scribe.strange(item));
    }
    if scribe.choice(9) {
        let at = usize::from(scribe.next()) % (items.len() + 1);
        items.insert(at, json!({ "type": "item_reference", "id": "x" }));
    }
    items
}

fn input_piece(scribe: &mut Scribe<'_>, body: &Body) -> Json {
    let piece = match body {
        Body::Text(text) => json!({ "type": "input_text", "text": text.as_ref() }),
        Body::Image { .. } => json!({ "type": "input_image", "image_url": DATA }),
        other => return chat_piece(scribe, other),
    };
    scribe.strange(piece)
}

fn output_piece(scribe: &mut Scribe<'_>, body: &Body) -> Json {
    match body {
        Body::Text(text) => json!({ "type": "output_text", "text": text.as_ref(), "annotations": [] }),
        other => input_piece(scribe, other),
    }
}

/// Results of one reply are blocks of one message, sometimes with the text that follows.
fn anthropic(scribe: &mut Scribe<'_>, messages: &[Arc<Message>]) -> Vec<Json> {
    let mut elements: Vec<(Role, Vec<Json>)> = Vec::new();
    for message in messages {
        let blocks: Vec<Json> = message.parts.iter().map(|part| anthropic_block(scribe, &part.body)).collect();
        match elements.last_mut() {
            Some((Role::Tool, last)) if message.role == Role::Tool && !scribe.choice(8) => last.extend(blocks),
            Some((role @ Role::Tool, last)) if message.role == Role::User && scribe.choice(2) => {
                *role = Role::User;
                last.extend(blocks);
            }
            _ => elements.push((message.role, blocks)),
        }
    }
    let element = |(role, blocks): (Role, Vec<Json>)| {
        let role = if role == Role::Tool { Role::User } else { role };
        let content = match blocks.as_slice() {
            [one] if one.as_object().is_some_and(|map| map.len() == 2) && one["type"] == "text" && scribe.choice(2) => {
                one["text"].clone()
            }
            _ => blocks.into(),
        };
        scribe.strange(json!({ "role": role.word(), "content": content }))
    };
    elements.into_iter().map(element).collect()
}

fn anthropic_block(scribe: &mut Scribe<'_>, body: &Body) -> Json {
    let block = match body {
        Body::Text(text) => json!({ "type": "text", "text": text.as_ref() }),
        Body::Thinking { text, signature: Some(signature) } if text.is_empty() => {
            json!({ "type": "redacted_thinking", "data": signature.as_ref() })
        }
        Body::Thinking { text, signature } => {
            json!({ "type": "thinking", "thinking": text.as_ref(), "signature": signature.as_deref().unwrap_or("") })
        }
        Body::Image { .. } => {
            json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "TWFu".repeat(40) } })
        }
        Body::ToolCall { id, name, arguments } => {
            let input = arguments.parsed().cloned().unwrap_or_else(|| json!({ "raw": arguments.text() }));
            json!({ "type": "tool_use", "id": id.as_str(), "name": name.as_str(), "input": input })
        }
        Body::ToolResult(result) => {
            let content = result_content(scribe, result, anthropic_block);
            let mut block = json!({ "type": "tool_result", "tool_use_id": result.id.as_str(), "content": content });
            if result.is_error {
                block["is_error"] = true.into();
            }
            block
        }
        Body::Other(json) => json.as_ref().clone(),
    };
    let block = scribe.marked(block);
    scribe.strange(block)
}

/// An element without its thinking; none if nothing else is in it.
fn thoughtless(dialect: Dialect, element: &Json) -> Option<Json> {
    let mut element = element.clone();
    match dialect {
        Dialect::OpenAiResponses if element["type"] == "reasoning" => return None,
        Dialect::OpenAiResponses => {}
        Dialect::Gemini => gemini::remove_thinking(&mut element),
        Dialect::OpenAiChat => {
            let map = element.as_object_mut()?;
            map.retain(|key, _| key != "reasoning" && key != "reasoning_content");
        }
        _ => {
            let is_thinking = |block: &Json| block["type"].as_str().is_some_and(|kind| kind.ends_with("thinking"));
            if let Some(blocks) = element["content"].as_array_mut() {
                blocks.retain(|block| !is_thinking(block));
            }
        }
    }
    Some(element)
}
