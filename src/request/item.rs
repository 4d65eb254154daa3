//! The items of the OpenAI Responses API.
//!
//! Consecutive items that a model writes are one reply: its reasoning, its text and its calls.

use smol_str::SmolStr;

use super::json::Node;
use crate::conversation::{Arguments, Body, Message, Part, Role, ToolResult};
use crate::transcript::api;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// A message.
    Message(Role),
    /// Reasoning, mostly encrypted.
    Reasoning,
    /// A call that the client answers; the arguments are in this field. None of another kind has arguments that can be
    /// replaced.
    Call(Option<&'static str>),
    /// The result of a call. Its output can be replaced only if it is a text or a list of contents.
    CallOutput { is_editable: bool },
    /// A call that the provider answers, such as a search.
    ProviderCall,
    /// Anything else, such as a compaction or a reference. It is not part of the conversation and always stays.
    Pinned,
}

impl ItemKind {
    pub(super) fn of(item: &Node<'_>) -> Self {
        let kind = item.get_string("type");
        match kind.as_deref().unwrap_or("message") {
            "message" => item.get_string("role").map_or(Self::Pinned, |role| Self::Message(role_of(&role))),
            "reasoning" => Self::Reasoning,
            "function_call" => Self::Call(Some("arguments")),
            "custom_tool_call" => Self::Call(Some("input")),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                Self::CallOutput { is_editable: true }
            }
            other if other.ends_with("_call_output") => Self::CallOutput { is_editable: false },
            other if other.ends_with("_call") && item.get("call_id").is_some() => Self::Call(None),
            other if other.ends_with("_call") => Self::ProviderCall,
            _ => Self::Pinned,
        }
    }

    /// Whether a model writes such items.
    pub(super) const fn is_of_reply(self) -> bool {
        matches!(self, Self::Message(Role::Assistant) | Self::Reasoning | Self::Call(_) | Self::ProviderCall)
    }

    /// The role of the message that contains the item; none if it is not part of the conversation.
    pub(super) const fn role(self) -> Option<Role> {
        match self {
            Self::Message(role) => Some(role),
            Self::Reasoning | Self::Call(_) | Self::ProviderCall => Some(Role::Assistant),
            Self::CallOutput { .. } => Some(Role::Tool),
            Self::Pinned => None,
        }
    }
}

fn role_of(name: &str) -> Role {
    match name {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        _ => Role::User,
    }
}

/// The message of consecutive items: those of a reply, or one other item. None for items that are always kept.
pub(super) fn message(items: &[Node<'_>]) -> Option<Message> {
    let role = ItemKind::of(items.first()?).role()?;
    let parts = items.iter().flat_map(|item| bodies(item)).map(Part::new).collect();
    Some(Message::new(role, parts))
}

/// The content of an item, part by part.
pub(super) fn bodies(item: &Node<'_>) -> Vec<Body> {
    match ItemKind::of(item) {
        ItemKind::Message(_) => item.get("content").map(|content| pieces(&content)).unwrap_or_default(),
        ItemKind::Reasoning => vec![thinking(item)],
        ItemKind::Call(field) => vec![call(item, field)],
        ItemKind::CallOutput { is_editable } => vec![Body::ToolResult(Box::new(result(item, is_editable)))],
        ItemKind::ProviderCall => vec![api::openai_piece(item.raw())],
        ItemKind::Pinned => Vec::new(),
    }
}

/// The pieces of a content without empty texts, as the reader of chat messages has them.
pub(super) fn pieces(content: &Node<'_>) -> Vec<Body> {
    let nodes = if content.is_array() { content.elements() } else { vec![content.clone()] };
    let bodies = nodes.iter().map(|piece| api::openai_piece(piece.raw()));
    bodies.filter(|body| !matches!(body, Body::Text(text) if text.is_empty())).collect()
}

fn thinking(item: &Node<'_>) -> Body {
    let texts = ["summary", "content"].into_iter().filter_map(|key| item.get(key));
    let texts: Vec<String> =
        texts.flat_map(|list| list.elements()).filter_map(|piece| piece.get_string("text")).collect();
    let signature = item.get_string("encrypted_content").or_else(|| item.get_string("id"));
    Body::Thinking { text: texts.join("\n").into(), signature: signature.map(String::into_boxed_str) }
}

fn call(item: &Node<'_>, field: Option<&str>) -> Body {
    let kind = item.get_string("type").unwrap_or_default();
    let name = item.get_string("name").map_or_else(|| kind.trim_end_matches("_call").into(), SmolStr::from);
    let arguments = match field {
        Some(field) => api::arguments(item.get(field).map(|value| value.raw())),
        None => match api::openai_piece(item.raw()) {
            Body::Other(json) => Arguments::Json(*json),
            _ => Arguments::Text(item.raw().into()),
        },
    };
    Body::ToolCall { id: call_id(item), name, arguments }
}

fn result(item: &Node<'_>, is_editable: bool) -> ToolResult {
    let bodies = match item.get("output") {
        Some(output) if is_editable => pieces(&output),
        // The item as it is.
        Some(_) => vec![api::openai_piece(item.raw())],
        None => Vec::new(),
    };
    let (text, attachments) = api::join_texts(bodies);
    ToolResult { id: call_id(item), name: None, text, attachments, is_error: false }
}

fn call_id(item: &Node<'_>) -> SmolStr {
    item.get_string("call_id").or_else(|| item.get_string("id")).unwrap_or_default().into()
}
