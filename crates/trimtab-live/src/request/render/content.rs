//! Changes of content: a text, or a list of texts, images, calls and results.

use trimtab_base::conversation::{Arguments, Body, ToolResult};
use trimtab_recordings::transcript::api;

use crate::request::json::{Node, Slot, Span, literal};
use crate::request::outline::Change;

/// How the blocks of an element with several messages, or of a system prompt, are read and written.
#[derive(Debug)]
pub(in crate::request) struct Blocks {
    /// The key of the list in an element.
    pub(in crate::request) key: &'static str,
    /// The parts of a block.
    pub(in crate::request) read: fn(&str) -> Vec<Body>,
    /// A block after changes of its parts, or `None` if it is removed.
    pub(in crate::request) write: fn(&Node<'_>, &[Change<'_>]) -> Option<String>,
    /// A new block with a text.
    pub(in crate::request) text: fn(&str) -> String,
}

/// Blocks that have a type, as in messages and system prompts of Anthropic.
pub(in crate::request) static TYPED_BLOCKS: Blocks = Blocks {
    key: "content",
    read: |json| vec![api::anthropic_block(json)],
    write: |node, changes| TYPED.piece(node, changes.first().unwrap_or(&Change::Keep)),
    text: |text| TYPED.text(text),
};

const TYPED: Style = Style { read: api::anthropic_block, text_kind: "text", skips_empty: false, rejects_blank: true };

impl Blocks {
    /// The blocks of a content with their parts. A content that is no list is one block.
    pub(in crate::request) fn pieces<'a>(&self, content: &Node<'a>) -> Vec<(Node<'a>, Vec<Body>)> {
        let nodes = if content.is_array() { content.elements() } else { vec![content.clone()] };
        nodes.into_iter().map(|node| (node.clone(), (self.read)(node.raw()))).collect()
    }
}

/// How a dialect writes content.
#[derive(Clone, Copy)]
pub(in crate::request) struct Style {
    /// Reads an element of the list.
    pub(in crate::request) read: fn(&str) -> Body,
    /// The type of a text.
    pub(in crate::request) text_kind: &'static str,
    /// Whether empty texts are no parts.
    pub(in crate::request) skips_empty: bool,
    /// Whether the provider rejects blank texts in a list.
    pub(in crate::request) rejects_blank: bool,
}

impl Style {
    /// The pieces of a content that are parts of a message, with what they are read as.
    pub(in crate::request) fn pieces<'a>(&self, content: &Node<'a>) -> Vec<(Node<'a>, Body)> {
        let nodes = if content.is_array() { content.elements() } else { vec![content.clone()] };
        let read = nodes.into_iter().map(|node| {
            let body = (self.read)(node.raw());
            (node, body)
        });
        read.filter(|(_, body)| !self.skips_empty || !is_empty_text(body)).collect()
    }

    /// Returns a piece after a change, or `None` if it is removed.
    pub(in crate::request) fn piece(&self, node: &Node<'_>, change: &Change<'_>) -> Option<String> {
        let kept = || Some(node.raw().to_owned());
        let Change::Replace { old, new } = change else {
            return if *change == Change::Remove { None } else { kept() };
        };
        match (old, new) {
            (Body::Text(_) | Body::Image { .. }, Body::Text(text)) => Some(self.text_in(node, text)),
            (Body::ToolCall { .. }, Body::ToolCall { arguments, .. }) => {
                Some(node.with_fields(&[("input", Some(arguments_like(node.get("input").as_ref(), arguments)))]))
            }
            (Body::ToolResult(old), Body::ToolResult(new)) => {
                let content = self.result(node.get("content").as_ref(), old, new);
                content.map_or_else(kept, |content| Some(node.with_fields(&[("content", Some(content))])))
            }
            _ => kept(),
        }
    }

    /// A text in place of a piece. A text piece keeps its other fields, any other piece only its mark for the cache.
    fn text_in(&self, node: &Node<'_>, text: &str) -> String {
        if !node.is_object() {
            return literal(text);
        }
        if let Some(key) = ["text", "refusal"].into_iter().find(|key| node.get(key).is_some_and(|old| old.is_string()))
        {
            return node.with_fields(&[(key, Some(literal(text)))]);
        }
        let mark = node.get("cache_control").map(|mark| format!(r#","cache_control":{}"#, mark.raw()));
        format!(r#"{{"type":"{}","text":{}{}}}"#, self.text_kind, literal(text), mark.unwrap_or_default())
    }

    /// A new piece with a text.
    fn text(&self, text: &str) -> String {
        format!(r#"{{"type":"{}","text":{}}}"#, self.text_kind, literal(text))
    }

    /// Returns the content of a result after a change, or `None` if it cannot be written.
    pub(in crate::request) fn result(
        &self,
        content: Option<&Node<'_>>,
        old: &ToolResult,
        new: &ToolResult,
    ) -> Option<String> {
        let list = match content {
            Some(list) if list.is_array() => list,
            Some(other) if !other.is_string() => {
                return new.attachments.is_empty().then(|| literal(&new.text));
            }
            _ => return Some(literal(&new.text)),
        };
        let mut text = (new.text != old.text).then_some(new.text.as_ref());
        let is_blank = |text: &str| if self.rejects_blank { text.trim().is_empty() } else { text.is_empty() };
        let is_new = text.is_some();
        let mut attachments = NewAttachment::all(old, new).into_iter();
        let (mut items, mut slots) = (Vec::new(), Vec::new());
        for (at, node) in list.elements().iter().enumerate() {
            items.push(node.span.clone());
            let body = (self.read)(node.raw());
            if self.skips_empty && is_empty_text(&body) {
                slots.push(Slot::Keep(at));
            } else if !matches!(body, Body::Text(_)) {
                match attachments.next() {
                    Some(NewAttachment::Same) => slots.push(Slot::Keep(at)),
                    Some(NewAttachment::Text(text)) => slots.push(Slot::Changed(at, self.text_in(node, text))),
                    Some(NewAttachment::Removed) | None => {}
                }
            } else if !is_new {
                slots.push(Slot::Keep(at));
            } else if let Some(text) = text.take().filter(|text| !is_blank(text)) {
                slots.push(Slot::Changed(at, self.text_in(node, text)));
            }
        }
        if let Some(text) = text.filter(|text| !is_blank(text)) {
            slots.insert(0, Slot::New(self.text(text)));
        }
        Some(if slots.is_empty() { literal(&new.text) } else { list.with_items(&items, &slots) })
    }
}

/// What becomes of an attachment of a result.
pub(in crate::request) enum NewAttachment<'n> {
    Same,
    Text(&'n str),
    Removed,
}

impl<'n> NewAttachment<'n> {
    /// What becomes of each attachment. Of equal ones, the first are removed.
    pub(in crate::request) fn all(old: &ToolResult, new: &'n ToolResult) -> Vec<Self> {
        let mut rest = new.attachments.iter().rev().peekable();
        let has_all = new.attachments.len() == old.attachments.len();
        let change = |before: &Body| match rest.next_if(|after| has_all || *after == before) {
            None => Self::Removed,
            Some(Body::Text(text)) if !matches!(before, Body::Text(old) if old == text) => Self::Text(text),
            Some(_) => Self::Same,
        };
        let mut changes: Vec<Self> = old.attachments.iter().rev().map(change).collect();
        changes.reverse();
        changes
    }
}

/// A content with other pieces: each with its new text, or `None` if it is removed. Returns `None` if nothing is left.
pub(in crate::request) fn with_pieces(content: &Node<'_>, pieces: &[(Span, Option<String>)]) -> Option<String> {
    if !content.is_array() {
        return pieces.first().map_or_else(|| Some(content.raw().to_owned()), |(_, new)| new.clone());
    }
    let elements = content.elements();
    let slot = |(at, node): (usize, &Node<'_>)| match pieces.iter().find(|(span, _)| *span == node.span) {
        None => Some(Slot::Keep(at)),
        Some((_, Some(text))) if text == node.raw() => Some(Slot::Keep(at)),
        Some((_, new)) => new.clone().map(|text| Slot::Changed(at, text)),
    };
    let slots: Vec<Slot> = elements.iter().enumerate().filter_map(slot).collect();
    let items: Vec<Span> = elements.into_iter().map(|node| node.span).collect();
    (!slots.is_empty() || items.is_empty()).then(|| content.with_items(&items, &slots))
}

/// Arguments as JSON: a string if the old ones are.
pub(in crate::request) fn arguments_like(old: Option<&Node<'_>>, new: &Arguments) -> String {
    match new {
        Arguments::Json(json) if !old.is_some_and(Node::is_string) => json.to_string(),
        new => literal(&new.text()),
    }
}

fn is_empty_text(body: &Body) -> bool {
    matches!(body, Body::Text(text) if text.is_empty())
}
