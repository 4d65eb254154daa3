//! The items of the OpenAI Responses API, read with the reader of recordings.

use trimtab_base::conversation::{Body, Message, Part};
use trimtab_recordings::transcript::api;
pub(super) use trimtab_recordings::transcript::api::ItemKind;

use crate::request::json::Node;

/// What an item is.
pub(super) fn kind(item: &Node<'_>) -> ItemKind {
    api::item_kind(item.raw())
}

/// The message of consecutive items: those of a reply, or one other item. Returns `None` for items that are always
/// kept.
pub(super) fn message(items: &[Node<'_>]) -> Option<Message> {
    let role = kind(items.first()?).role()?;
    let parts = items.iter().flat_map(bodies).map(Part::new).collect();
    Some(Message::new(role, parts))
}

/// The content of an item, part by part.
pub(super) fn bodies(item: &Node<'_>) -> Vec<Body> {
    api::item_bodies(item.raw())
}
