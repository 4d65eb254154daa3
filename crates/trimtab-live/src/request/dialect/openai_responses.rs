//! OpenAI Responses: a list of items, of which several are one reply.

mod change;
mod item;
mod stream;

use serde_json::json;
use trimtab_base::conversation::{Message, Part, Role};
use trimtab_recordings::transcript::api;

use self::item::ItemKind;
use self::stream::ResponsesStream;
use super::form::{EditedUnit, Evidence, Form, SystemElements};
use crate::request::error::RequestError;
use crate::request::json::{Node, Slot, literal};
use crate::request::render::content::TYPED_BLOCKS;

pub(super) static FORM: Form = Form {
    list_key: "input",
    prompt_element: Some(|prompt| format!(r#"{{"type":"message","role":"user","content":{}}}"#, prompt.raw())),
    system_keys: &["instructions"],
    system: api::system_messages,
    system_list_key: None,
    blocks: &TYPED_BLOCKS,
    system_elements: SystemElements::Beside,
    continuation_keys: &["previous_response_id", "conversation"],
    compaction_element: Some("compaction_trigger"),
    evidence: |body| match (body.get("input"), body.get("messages")) {
        (Some(_), None) => Evidence::Own,
        _ => Evidence::None,
    },
    reply_length: Some(reply_length),
    read: |elements, _| Ok(message(elements).into_iter().collect()),
    has_unnamed_calls: false,
    new_element: |new, _| {
        let (role, text) = (new.message.role, literal(&new.message.plain_text()));
        let kind = text_kind(role);
        let role = role.word();
        Some(format!(r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":{text}}}]}}"#))
    },
    rewrite,
    place: None,
    tool_group_keys: &[],
    tool_choice_keys: &["tool_choice", "parallel_tool_calls"],
    tool: |name, description, schema| json!({ "type": "function", "name": name, "description": description, "parameters": schema }),
    reply: |root, _| reply(root),
    reply_model_key: "model",
    usage_key: "usage",
    usage: api::responses_usage,
    assembler: || Box::<ResponsesStream>::default(),
    streams_lists: false,
};

/// The type of a text in a message.
const fn text_kind(role: Role) -> &'static str {
    if matches!(role, Role::Assistant) { "output_text" } else { "input_text" }
}

/// The number of items of the reply at the beginning; 0 if there is none. Pinned items between others belong to it.
fn reply_length(items: &[Node<'_>]) -> usize {
    let goes_on = |items: &[Node<'_>]| {
        let pinned = items.iter().take_while(|item| item::kind(item) == ItemKind::Pinned).count();
        items.get(pinned).filter(|item| item::kind(item).is_of_reply()).map(|_| pinned)
    };
    let mut length = 0;
    while let Some(pinned) = goes_on(&items[length..]).filter(|pinned| length > 0 || *pinned == 0) {
        length += pinned + 1;
    }
    length
}

fn message(items: &[Node<'_>]) -> Option<Message> {
    if let [prompt] = items
        && prompt.is_string()
    {
        let parts = api::item_parts(prompt.raw()).into_iter().map(Part::new).collect();
        return Some(Message::new(Role::User, parts));
    }
    let texts: Vec<_> = items.iter().map(|item| api::without_lone_surrogates(item.raw())).collect();
    item::message(&texts.iter().map(|text| Node::of(text)).collect::<Vec<_>>())
}

fn rewrite(unit: &EditedUnit<'_>, slots: &mut Vec<Slot>) {
    match unit.messages.first() {
        Some(message) if message.is_kept => slots.extend(change::rewritten(&unit.elements, &message.changes)),
        // What stays when the message around it is removed.
        _ => {
            let pinned = unit.elements.iter().filter(|(_, text)| change::is_pinned(&Node::of(text)));
            slots.extend(pinned.map(|(at, _)| Slot::Keep(*at)));
        }
    }
}

fn reply(root: &Node<'_>) -> Result<Message, RequestError> {
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
