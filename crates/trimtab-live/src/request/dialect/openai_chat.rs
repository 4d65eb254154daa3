//! OpenAI Chat Completions, which many other servers offer too.

mod change;
mod stream;

use serde_json::json;
use trimtab_base::conversation::Role;
use trimtab_recordings::transcript::api;

use self::stream::ChatStream;
use super::form::{EditedUnit, Evidence, Form, SystemElements, declares_tool_with};
use crate::request::error::RequestError;
use crate::request::json::{Node, Slot, literal};
use crate::request::read::single;
use crate::request::render::content::TYPED_BLOCKS;

pub(super) static FORM: Form = Form {
    list_key: "messages",
    prompt_element: None,
    system_keys: &[],
    system: api::system_messages,
    system_list_key: None,
    blocks: &TYPED_BLOCKS,
    system_elements: SystemElements::Prompt,
    continuation_keys: &[],
    compaction_element: None,
    evidence,
    reply_length: None,
    read: |elements, _| single(elements, |text| Some(vec![api::chat_message(text)?])).ok_or("a message with a role"),
    has_unnamed_calls: false,
    new_element: |new, _| {
        let text = literal(&new.message.plain_text());
        Some(format!(r#"{{"role":"{}","content":{text}}}"#, new.message.role.word()))
    },
    rewrite,
    place: None,
    tool_group_keys: &[],
    tool_choice_keys: &["tool_choice", "parallel_tool_calls"],
    tool: |name, description, schema| {
        json!({
            "type": "function",
            "function": { "name": name, "description": description, "parameters": schema },
        })
    },
    reply: |root, _| {
        let choice = root.get("choices").and_then(|choices| choices.elements().into_iter().next());
        let message = choice.and_then(|choice| choice.get("message")).unwrap_or_else(|| root.clone());
        let read = api::chat_message(message.raw()).filter(|message| message.role == Role::Assistant);
        read.ok_or_else(|| RequestError::new("a message of the assistant, or `choices` with one"))
    },
    reply_model_key: "model",
    usage_key: "usage",
    usage: api::chat_usage,
    assembler: || Box::<ChatStream>::default(),
    streams_lists: false,
};

fn evidence(body: &Node<'_>) -> Evidence {
    let Some(messages) = body.get("messages") else { return Evidence::None };
    let messages = messages.elements();
    // Anthropic has system messages in the list too.
    let has_system =
        || messages.iter().any(|message| message.get_string("role").is_some_and(|role| role == Role::System.word()));
    if declares_tool_with(body, "function") || messages.iter().any(is_own_message) {
        Evidence::Own
    } else if has_system() {
        Evidence::Some
    } else {
        Evidence::None
    }
}

fn is_own_message(message: &Node<'_>) -> bool {
    let role = message.get_string("role").unwrap_or_default();
    ["developer", "tool", "function"].contains(&role.as_str())
        || message.get("tool_calls").is_some()
        || message.get("function_call").is_some()
}

fn rewrite(unit: &EditedUnit<'_>, slots: &mut Vec<Slot>) {
    for ((at, text), message) in unit.elements.iter().zip(&unit.messages).filter(|(_, message)| message.is_kept) {
        let changed = change::rewritten(text, &message.changes);
        slots.push(changed.map_or(Slot::Keep(*at), |text| Slot::Changed(*at, text)));
    }
}
