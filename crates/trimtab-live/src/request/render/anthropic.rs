//! Changes of an Anthropic message, whose blocks may be several messages.

use std::borrow::Cow;

use trimtab_base::conversation::{Body, Role};
use trimtab_recordings::transcript::api;

use super::content::{Style, with_pieces};
use crate::request::Request;
use crate::request::json::{Node, Slot, Span};
use crate::request::outline::Change;
use crate::request::read::Unit;

pub(super) const STYLE: Style =
    Style { read: api::anthropic_block, text_kind: "text", skips_empty: false, rejects_blank: true };

/// An element that is written in pieces: as one element, or as several ones with new messages between them.
pub(super) struct Divided<'a> {
    at: usize,
    text: Cow<'a, str>,
    /// The new text of each block of each message; none if it is removed.
    messages: Vec<Vec<(Span, Option<String>)>>,
    /// The messages of the next element.
    chosen: Vec<usize>,
    is_begun: bool,
    is_edited: bool,
}

impl<'a> Divided<'a> {
    pub(super) fn new(request: &'a Request, unit: &Unit, changes: &[Vec<Change<'_>>]) -> Self {
        let at = unit.elements.start;
        let text = api::without_lone_surrogates(request.element(at).raw());
        let roles = request.history[request.in_history(&unit.messages)].iter().map(|message| message.role);
        let messages = blocks(&Node::of(&text), &roles.collect::<Vec<_>>(), changes);
        let is_edited = changes.iter().any(|changes| !changes.is_empty());
        Self { at, text, messages, chosen: Vec::new(), is_begun: false, is_edited }
    }

    /// Adds a message to the element.
    pub(super) fn add(&mut self, message: usize) {
        self.chosen.push(message);
    }

    /// Ends the element.
    pub(super) fn finish(&mut self, slots: &mut Vec<Slot>) {
        let chosen = std::mem::take(&mut self.chosen);
        if chosen.is_empty() {
            return;
        }
        let is_whole = chosen.len() == self.messages.len() && !self.is_edited;
        if is_whole {
            slots.push(Slot::Keep(self.at));
            return;
        }
        // None if nothing is left of it.
        let Some(text) = self.element(&chosen) else { return };
        slots.push(if self.is_begun { Slot::New(text) } else { Slot::Changed(self.at, text) });
        self.is_begun = true;
    }

    /// The element with the blocks of some of its messages only.
    fn element(&self, chosen: &[usize]) -> Option<String> {
        let element = Node::of(&self.text);
        let content = element.get("content")?;
        let pieces = self.messages.iter().enumerate().flat_map(|(at, blocks)| {
            let is_chosen = chosen.contains(&at);
            blocks.iter().map(move |(span, new)| (span.clone(), new.clone().filter(|_| is_chosen)))
        });
        let content = with_pieces(&content, &pieces.collect::<Vec<_>>())?;
        Some(element.with_fields(&[("content", Some(content))]))
    }
}

/// The blocks of each message with their new texts: a tool message has one result, another message everything else.
fn blocks(element: &Node<'_>, roles: &[Role], changes: &[Vec<Change<'_>>]) -> Vec<Vec<(Span, Option<String>)>> {
    let content = element.get("content");
    let pieces = content.map(|content| STYLE.pieces(&content)).unwrap_or_default();
    let (results, rest): (Vec<_>, Vec<_>) =
        pieces.into_iter().map(|(node, body)| (node, matches!(body, Body::ToolResult(_)))).partition(|(_, is)| *is);
    let mut results = results.into_iter();
    let mut found = Vec::new();
    for (role, changes) in roles.iter().zip(changes) {
        let own = if *role == Role::Tool { results.next().into_iter().collect() } else { rest.clone() };
        let changed = own.into_iter().enumerate().map(|(at, (node, _))| {
            let change = changes.get(at).copied().unwrap_or(Change::Keep);
            (node.span.clone(), STYLE.piece(&node, &change))
        });
        found.push(changed.collect());
    }
    found
}
