//! Anthropic Messages.

mod placement;
mod stream;

use serde_json::json;
use trimtab_base::conversation::Role;
use trimtab_recordings::transcript::api;

use self::stream::AnthropicStream;
use super::form::{Evidence, Form, SystemElements, declares_tool_with};
use crate::request::error::RequestError;
use crate::request::json::{Node, literal};
use crate::request::outline::NewMessage;
use crate::request::read::single;
use crate::request::render::content::TYPED_BLOCKS;
use crate::request::render::divided;

pub(super) static FORM: Form = Form {
    list_key: "messages",
    prompt_element: None,
    system_keys: &["system"],
    system: api::system_messages,
    system_list_key: None,
    blocks: &TYPED_BLOCKS,
    system_elements: SystemElements::Instead,
    continuation_keys: &[],
    compaction_element: None,
    evidence,
    reply_length: None,
    read: |elements, _| {
        single(elements, api::anthropic_messages).ok_or("a message with the role `user` or `assistant`")
    },
    has_unnamed_calls: false,
    new_element,
    rewrite: |unit, slots| divided::rewrite(&TYPED_BLOCKS, unit, slots),
    place: Some(placement::placed),
    tool_group_keys: &[],
    tool_choice_keys: &["tool_choice"],
    tool: |name, description, schema| json!({ "name": name, "description": description, "input_schema": schema }),
    reply: |root, _| {
        let read = api::anthropic_messages(root.raw()).unwrap_or_default();
        let reply = read.into_iter().find(|message| message.role == Role::Assistant);
        reply.ok_or_else(|| RequestError::new("a message of the assistant"))
    },
    reply_model_key: "model",
    usage_key: "usage",
    usage: api::anthropic_usage,
    assembler: || Box::<AnthropicStream>::default(),
    streams_lists: false,
};

/// Keys of a body that no other dialect with `messages` has.
const OWN_KEYS: [&str; 5] = ["system", "anthropic_version", "stop_sequences", "top_k", "context_management"];

/// Types of blocks that no other dialect with `messages` has.
const OWN_BLOCKS: [&str; 6] = ["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image"];

fn evidence(body: &Node<'_>) -> Evidence {
    let is_own_block =
        |block: &Node<'_>| block.get_string("type").is_some_and(|kind| OWN_BLOCKS.contains(&kind.as_str()));
    let is_own_message =
        |message: &Node<'_>| message.get("content").is_some_and(|content| content.elements().iter().any(is_own_block));
    let Some(messages) = body.get("messages") else { return Evidence::None };
    let is_own = OWN_KEYS.iter().any(|key| body.get(key).is_some())
        || declares_tool_with(body, "input_schema")
        || messages.elements().iter().any(is_own_message);
    if is_own { Evidence::Own } else { Evidence::None }
}

/// The API rejects blank texts, and white space at the end of a list that ends with a reply. Not all its models take system
/// messages in the list, but a client that sends some has a server that accepts them.
fn new_element(new: NewMessage<'_>, allows_system: bool) -> Option<String> {
    let text = new.message.plain_text();
    if text.trim().is_empty() {
        return None;
    }
    let (role, text) = match new.message.role {
        Role::System if new.is_prompt || allows_system => (Role::System, text.as_str()),
        Role::Assistant => (Role::Assistant, text.trim_end()),
        _ => (Role::User, text.as_str()),
    };
    Some(format!(r#"{{"role":"{}","content":{}}}"#, role.word(), literal(text)))
}
