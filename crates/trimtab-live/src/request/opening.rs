//! What a request says before its history is read: which conversation it is of, and what it is for.

use trimtab_base::conversation::{Message, Role};
use trimtab_recordings::transcript::api;

use super::dialect::Dialect;
use super::error::RequestError;
use super::json::Node;
use super::layout::Layout;
use super::read;

/// What a request says before its history is read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Opening {
    /// The messages before the first one of the model, without system messages. All requests of a conversation have the same.
    pub messages: Vec<Message>,
    /// Whether it declares tools.
    pub has_tools: bool,
    /// The texts of the last element; empty if it has none.
    pub last: String,
    /// Whether the last element asks the provider to compact the conversation.
    pub asks_for_compaction: bool,
}

impl Opening {
    /// Reads the beginning of a request body.
    ///
    /// # Errors
    /// The JSON is not valid, has no list of the dialect, continues what the server has stored, or begins with an element that
    /// is no message.
    pub fn read(dialect: Dialect, json: &str) -> Result<Self, RequestError> {
        let layout = Layout::of(dialect, json)?;
        let elements: Vec<Node<'_>> = layout.elements.iter().map(|span| Node::at(json, span.clone())).collect();
        let (mut messages, mut at) = (Vec::new(), 0);
        'elements: while at < elements.len() {
            let (count, read) = read::parsed(dialect, &elements, at)?;
            for message in read {
                match message.role {
                    Role::System => {}
                    Role::Assistant => break 'elements,
                    Role::User | Role::Tool => messages.push(message.as_ref().clone()),
                }
            }
            at += count;
        }
        let tools = layout.tools.map(|tools| Node::at(json, tools).elements()).unwrap_or_default();
        let last = elements.last();
        let texts =
            last.filter(|last| !api::is_deep(last.raw())).and_then(|last| serde_json::from_str(last.raw()).ok());
        Ok(Self {
            messages,
            has_tools: !tools.is_empty(),
            last: texts.map(|last| texts_of(&last)).unwrap_or_default(),
            asks_for_compaction: last.is_some_and(|last| last.get_string("type").is_some_and(|kind| kind == TRIGGER)),
        })
    }
}

/// The item with which Codex asks for a compaction.
const TRIGGER: &str = "compaction_trigger";

/// The content of an element and the texts of its blocks.
fn texts_of(element: &serde_json::Value) -> String {
    let content = element.get("content").unwrap_or(element);
    let blocks = content.as_array().into_iter().flatten();
    let texts = blocks.filter_map(|block| block.get("text").and_then(serde_json::Value::as_str));
    content.as_str().into_iter().chain(texts).collect::<Vec<_>>().join("\n")
}
