//! Replies of a provider.

use std::sync::Arc;

use trimtab_base::conversation::{Message, Role, Usage};
use trimtab_recordings::transcript::api;

use super::dialect::Dialect;
use super::error::RequestError;
use super::item::{self, ItemKind};
use super::json::Node;
use super::layout::valid;

/// The reply of a model, and the tokens of the call if the provider reports them.
pub type Reply = (Arc<Message>, Option<Usage>);

/// Reads a whole response body, the message in it alone, or for the Responses API a list of items.
///
/// # Errors
/// The JSON is not valid, or contains no reply of the model.
pub fn read_reply(dialect: Dialect, json: &str) -> Result<Reply, RequestError> {
    let root = valid(json)?;
    if api::is_deep(json) {
        return Err(RequestError::new("at most 128 levels of nesting"));
    }
    let json = api::without_lone_surrogates(json);
    let root = if matches!(json, std::borrow::Cow::Borrowed(_)) { root } else { Node::of(&json) };
    let usage = root.get("usage").and_then(|usage| self::usage(dialect, &usage));
    let message = match dialect {
        Dialect::OpenAiChat => chat_reply(&root)?,
        Dialect::OpenAiResponses => responses_reply(&root)?,
        Dialect::Anthropic => anthropic_reply(&root)?,
    };
    let model = message.model.clone().or_else(|| root.get_string("model").map(Into::into));
    let usage = usage.or(message.usage);
    Ok((Arc::new(Message { usage, model, ..message }), usage))
}

/// The usage in a response body that may have no reply.
pub(super) fn read_usage(dialect: Dialect, json: &str) -> Option<Usage> {
    usage(dialect, &valid(json).ok()?.get("usage")?)
}

fn usage(dialect: Dialect, usage: &Node<'_>) -> Option<Usage> {
    match dialect {
        Dialect::OpenAiChat => api::chat_usage(usage.raw()),
        Dialect::OpenAiResponses => api::responses_usage(usage.raw()),
        Dialect::Anthropic => api::anthropic_usage(usage.raw()),
    }
}

fn chat_reply(root: &Node<'_>) -> Result<Message, RequestError> {
    let choice = root.get("choices").and_then(|choices| choices.elements().into_iter().next());
    let message = choice.and_then(|choice| choice.get("message")).unwrap_or_else(|| root.clone());
    let read = api::chat_message(message.raw()).filter(|message| message.role == Role::Assistant);
    read.ok_or_else(|| RequestError::new("a message of the assistant, or `choices` with one"))
}

fn anthropic_reply(root: &Node<'_>) -> Result<Message, RequestError> {
    let read = api::anthropic_messages(root.raw()).unwrap_or_default();
    let reply = read.into_iter().find(|message| message.role == Role::Assistant);
    reply.ok_or_else(|| RequestError::new("a message of the assistant"))
}

fn responses_reply(root: &Node<'_>) -> Result<Message, RequestError> {
    let expected = || RequestError::new("a list of items that a model writes, or an object with a list `output`");
    let items = match root.get("output") {
        Some(output) if output.is_array() => output.elements(),
        _ if root.is_array() => root.elements(),
        _ => vec![root.clone()],
    };
    let items: Vec<_> = items.into_iter().filter(|item| item::kind(item) != ItemKind::Pinned).collect();
    if items.iter().any(|item| !item::kind(item).is_of_reply()) {
        return Err(expected());
    }
    item::message(&items).ok_or_else(expected)
}
