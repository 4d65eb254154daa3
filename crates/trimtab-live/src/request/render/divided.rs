//! Elements whose blocks may be several messages: results of tools, and everything else.

use trimtab_base::conversation::{Body, Role};

use super::content::{Blocks, with_pieces};
use crate::request::dialect::{EditedMessage, EditedUnit};
use crate::request::json::{Node, Slot, Span};
use crate::request::outline::Change;

/// The blocks of a message, each with its new text, or `None` if it is removed.
type NewBlocks = Vec<(Span, Option<String>)>;

/// Adds an element of which some messages are edited or removed: as one element, or as several ones with new elements
/// between them.
pub(in crate::request) fn rewrite(blocks: &Blocks, unit: &EditedUnit<'_>, slots: &mut Vec<Slot>) {
    let Some((at, text)) = unit.elements.first() else { return };
    let element = Node::of(text);
    let messages = new_blocks(blocks, &element, &unit.messages);
    let is_edited = unit.messages.iter().any(|message| !message.changes.is_empty());
    let mut is_begun = false;
    for chosen in runs(&unit.messages) {
        match chosen {
            Run::New(elements) => slots.extend(elements.iter().cloned().map(Slot::New)),
            Run::Messages(chosen) if chosen.len() == messages.len() && !is_edited => slots.push(Slot::Keep(*at)),
            Run::Messages(chosen) => {
                // None if nothing is left of it.
                let Some(text) = with_messages(blocks, &element, &messages, &chosen) else { continue };
                slots.push(if is_begun { Slot::New(text) } else { Slot::Changed(*at, text) });
                is_begun = true;
            }
        }
    }
}

/// What follows one another in place of an element.
enum Run<'a> {
    /// Messages of the element that are sent, by their indices.
    Messages(Vec<usize>),
    New(&'a [String]),
}

fn runs<'a>(messages: &'a [EditedMessage<'_>]) -> Vec<Run<'a>> {
    let (mut runs, mut chosen) = (Vec::new(), Vec::new());
    for (at, message) in messages.iter().enumerate() {
        if !message.new_before.is_empty() {
            runs.push(Run::Messages(std::mem::take(&mut chosen)));
            runs.push(Run::New(&message.new_before));
        }
        if message.is_kept {
            chosen.push(at);
        }
    }
    runs.push(Run::Messages(chosen));
    runs.retain(|run| !matches!(run, Run::Messages(chosen) if chosen.is_empty()));
    runs
}

/// The element with the blocks of some of its messages only.
fn with_messages(blocks: &Blocks, element: &Node<'_>, messages: &[NewBlocks], chosen: &[usize]) -> Option<String> {
    let content = element.get(blocks.key)?;
    let pieces = messages.iter().enumerate().flat_map(|(at, blocks)| {
        let is_chosen = chosen.contains(&at);
        blocks.iter().map(move |(span, new)| (span.clone(), new.clone().filter(|_| is_chosen)))
    });
    let content = with_pieces(&content, &pieces.collect::<Vec<_>>())?;
    Some(element.with_fields(&[(blocks.key, Some(content))]))
}

/// The blocks of each message: a tool message has one result, another message everything else.
fn new_blocks(blocks: &Blocks, element: &Node<'_>, messages: &[EditedMessage<'_>]) -> Vec<NewBlocks> {
    let content = element.get(blocks.key);
    let pieces = content.map(|content| blocks.pieces(&content)).unwrap_or_default();
    let is_result = |(_, bodies): &(Node<'_>, Vec<Body>)| bodies.iter().any(|body| matches!(body, Body::ToolResult(_)));
    let (results, rest): (Vec<_>, Vec<_>) = pieces.into_iter().partition(is_result);
    let mut results = results.into_iter();
    let of_message = |message: &EditedMessage<'_>| {
        let own = if message.role == Role::Tool { results.next().into_iter().collect() } else { rest.clone() };
        let mut changes = message.changes.as_slice();
        let changed = own.into_iter().map(|(node, bodies)| {
            let (own, rest) = changes.split_at(bodies.len().min(changes.len()));
            changes = rest;
            let is_kept = own.iter().all(|change| *change == Change::Keep);
            let new = if is_kept { Some(node.raw().to_owned()) } else { (blocks.write)(&node, own) };
            (node.span.clone(), new)
        });
        changed.collect()
    };
    messages.iter().map(of_message).collect()
}
