//! How a request begins, which tells its conversation, and how it ends, which tells what it is for.

use trimtab_base::conversation::{Message, Role};
use trimtab_recordings::transcript::api::{self, UnnamedCalls};

use super::Request;
use super::dialect::Dialect;
use super::error::RequestError;
use super::json::Node;
use super::layout::Layout;
use super::read;

/// How a request ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Closing {
    /// Whether it declares tools.
    pub has_tools: bool,
    /// The texts of the last element; empty if it has none, or results of tools only.
    pub last: String,
    /// Whether the last element asks the provider to compact the conversation.
    pub asks_for_compaction: bool,
}

/// The messages of a request body before the first one of the model, without system messages. All requests of a conversation
/// have the same.
///
/// # Errors
/// The JSON is not valid, has no list of the dialect, continues what the server has stored, or begins with an element that is
/// no message.
pub fn opening(dialect: Dialect, json: &str) -> Result<Vec<Message>, RequestError> {
    let layout = Layout::of(dialect, json)?;
    let elements: Vec<Node<'_>> = layout.elements.iter().map(|span| Node::at(json, span.clone())).collect();
    let (mut messages, mut at, mut calls) = (Vec::new(), 0, UnnamedCalls::default());
    while at < elements.len() {
        let (count, read) = read::parsed(dialect, &elements, at, &mut calls)?;
        for message in read {
            match message.role {
                Role::System => {}
                Role::Assistant => return Ok(messages),
                Role::User | Role::Tool => messages.push(message.as_ref().clone()),
            }
        }
        at += count;
    }
    Ok(messages)
}

impl Request {
    /// How the request ends.
    pub fn closing(&self) -> Closing {
        let form = self.dialect.form();
        let last = self.layout.elements.last().map(|span| self.node(span));
        // What a tool has found says nothing about what the client asks for.
        let is_asked = self.layout.elements.len().checked_sub(1).is_some_and(|at| !self.has_only_results(at));
        let shallow = last.as_ref().filter(|last| is_asked && !api::is_deep(last.raw()));
        let texts =
            shallow.and_then(|last| serde_json::from_str(last.raw()).ok()).map(|last| texts_of(form.blocks.key, &last));
        let asks = |kind: String| form.compaction_element.is_some_and(|asking| asking == kind);
        Closing {
            has_tools: self.tools_node().is_some_and(|tools| !tools.elements().is_empty()),
            last: texts.unwrap_or_default(),
            asks_for_compaction: last.and_then(|last| last.get_string("type")).is_some_and(asks),
        }
    }

    /// Whether an element has results of tools and nothing else.
    fn has_only_results(&self, element: usize) -> bool {
        let mut messages = self.messages_of(element);
        !messages.is_empty()
            && messages.all(|at| self.history.get(at).is_some_and(|message| message.role == Role::Tool))
    }

    /// Returns the number of elements up to the first message of the model, or `None` if it has none.
    pub(super) fn opening_length(&self) -> Option<usize> {
        let is_reply = |at: usize| self.history.get(at).is_some_and(|message| message.role == Role::Assistant);
        let first = self.units.iter().find(|unit| self.in_history(&unit.messages).any(is_reply))?;
        Some(first.elements.end)
    }
}

/// The content of an element and the texts of its blocks.
fn texts_of(key: &str, element: &serde_json::Value) -> String {
    let content = element.get(key).unwrap_or(element);
    let blocks = content.as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| block.get("text").and_then(serde_json::Value::as_str));
    content.as_str().into_iter().chain(texts).collect::<Vec<_>>().join("\n")
}
