//! Messages that a policy adds, written in a dialect.

use trimtab_base::conversation::Role;

use crate::request::dialect::Dialect;
use crate::request::json::{Node, Slot, literal};
use crate::request::outline::NewMessage;

/// A new message as an element of the list; none if the dialect does not allow its text. Without `allows_system`, only
/// additions to the system prompt are system messages.
pub(super) fn element(dialect: Dialect, new: NewMessage<'_>, allows_system: bool) -> Option<String> {
    let NewMessage { message, is_prompt } = new;
    let text = message.plain_text();
    let (role, text) = match (dialect, message.role) {
        // Anthropic rejects blank texts, and white space at the end of a list that ends with a reply. Not all its models take
        // system messages in the list.
        (Dialect::Anthropic, _) if text.trim().is_empty() => return None,
        // A client with system messages in the list has a server that accepts them.
        (Dialect::Anthropic, Role::System) if is_prompt || allows_system => (Role::System, text.as_str()),
        (Dialect::Anthropic, Role::Assistant) => (Role::Assistant, text.trim_end()),
        (Dialect::Anthropic, _) => (Role::User, text.as_str()),
        (_, role) => (role, text.as_str()),
    };
    let (role, text) = (role.word(), literal(text));
    Some(match dialect {
        Dialect::OpenAiChat | Dialect::Anthropic => format!(r#"{{"role":"{role}","content":{text}}}"#),
        Dialect::OpenAiResponses => {
            let kind = text_kind(message.role);
            format!(r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":{text}}}]}}"#)
        }
    })
}

/// The type of a text in a message of the Responses API.
pub(super) const fn text_kind(role: Role) -> &'static str {
    if matches!(role, Role::Assistant) { "output_text" } else { "input_text" }
}

/// A list in place of a prompt.
pub(super) fn list(prompt: &Node<'_>, slots: &[Slot]) -> String {
    let items = slots.iter().map(|slot| match slot {
        Slot::Keep(_) => format!(r#"{{"type":"message","role":"user","content":{}}}"#, prompt.raw()),
        Slot::Changed(_, text) | Slot::New(text) => text.clone(),
    });
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}
