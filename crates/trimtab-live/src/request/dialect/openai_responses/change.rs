//! Changes of the items of a message.

use std::borrow::Cow;

use trimtab_base::conversation::{Body, Role};
use trimtab_recordings::transcript::api;

use super::item::{self, ItemKind};
use super::text_kind;
use crate::request::json::{Node, Slot};
use crate::request::outline::Change;
use crate::request::render::content::{Style, arguments_like, with_pieces};

/// The items of a message, each with its index in the list, after changes of the parts of the message.
pub(super) fn rewritten(items: &[(usize, Cow<'_, str>)], changes: &[Change<'_>]) -> Vec<Slot> {
    let count = items.iter().map(|(_, text)| item::bodies(&Node::of(text)).len()).sum::<usize>();
    if count != changes.len() {
        return items.iter().map(|(at, _)| Slot::Keep(*at)).collect();
    }
    let (mut slots, mut changes) = (Vec::new(), changes);
    let mut lost_reasoning = false;
    for (at, text) in items {
        let node = Node::of(text);
        let (own, rest) = changes.split_at(item::bodies(&node).len());
        changes = rest;
        if item::kind(&node) == ItemKind::Reasoning {
            lost_reasoning = own.first() == Some(&Change::Remove);
            // Reasoning that stays is known to the provider by its id.
            slots.extend((!lost_reasoning).then_some(Slot::Keep(*at)));
            continue;
        }
        if is_emptied(&node, own) {
            continue;
        }
        let mut new = changed(&node, own);
        // The provider rejects an item whose id it knows if the reasoning before it is missing.
        if lost_reasoning && !is_pinned(&node) && node.get("id").is_some() {
            new = Some(Node::of(new.as_deref().unwrap_or(text)).with_fields(&[("id", None)]));
        }
        slots.push(new.map_or(Slot::Keep(*at), |new| Slot::Changed(*at, new)));
    }
    slots
}

/// Whether nothing is left of the content of a message item. Other items of the message stay.
fn is_emptied(item: &Node<'_>, changes: &[Change<'_>]) -> bool {
    let pieces = item.get("content").map_or(0, |content| if content.is_array() { content.elements().len() } else { 1 });
    let is_removed = !changes.is_empty() && changes.iter().all(|change| *change == Change::Remove);
    matches!(item::kind(item), ItemKind::Message(_)) && is_removed && pieces == changes.len()
}

/// Whether an item stays when the message around it is removed.
pub(super) fn is_pinned(item: &Node<'_>) -> bool {
    item.is_object() && item::kind(item) == ItemKind::Pinned
}

/// Returns an item after changes of its parts, or `None` if it stays as it is.
fn changed(item: &Node<'_>, changes: &[Change<'_>]) -> Option<String> {
    if changes.iter().all(|change| *change == Change::Keep) {
        return None;
    }
    match (item::kind(item), changes) {
        (ItemKind::Message(role), _) => {
            let (content, style) = (item.get("content")?, style(role));
            let pieces = style.pieces(&content).into_iter().zip(changes);
            let pieces = pieces.map(|((node, _), change)| (node.span.clone(), style.piece(&node, change)));
            let content = with_pieces(&content, &pieces.collect::<Vec<_>>())?;
            Some(item.with_fields(&[("content", Some(content))]))
        }
        (ItemKind::Call(Some(field)), [Change::Replace { new: Body::ToolCall { arguments, .. }, .. }]) => {
            Some(item.with_fields(&[(field, Some(arguments_like(item.get(field).as_ref(), arguments)))]))
        }
        (
            ItemKind::CallOutput { is_editable: true },
            [Change::Replace { old: Body::ToolResult(old), new: Body::ToolResult(new) }],
        ) => {
            let output = style(Role::Tool).result(item.get("output").as_ref(), old, new)?;
            Some(item.with_fields(&[("output", Some(output))]))
        }
        _ => None,
    }
}

const fn style(role: Role) -> Style {
    Style { read: api::openai_part, text_kind: text_kind(role), skips_empty: true, rejects_blank: false }
}
