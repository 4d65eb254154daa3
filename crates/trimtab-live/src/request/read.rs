//! From the elements of a list to messages.

use std::ops::Range;
use std::sync::Arc;

use trimtab_base::conversation::{Message, Role};
use trimtab_recordings::transcript::api;

use super::Request;
use super::dialect::Dialect;
use super::error::RequestError;
use super::item::{self, ItemKind};
use super::json::Node;

/// Elements of the list that are read together, and their messages, counted from the first one of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) elements: Range<usize>,
    pub(super) messages: Range<usize>,
}

/// The messages and units of a list.
#[derive(Debug, Default)]
pub(super) struct ReadList {
    pub(super) messages: Vec<Arc<Message>>,
    pub(super) units: Vec<Unit>,
}

impl ReadList {
    /// Reads the elements, except those with the same text as in the previous request, as the first ones are known to have.
    pub(super) fn of(
        dialect: Dialect,
        elements: &[Node<'_>],
        previous: Option<&Request>,
        shared: usize,
    ) -> Result<Self, RequestError> {
        let mut read = previous.map_or_else(Self::default, |previous| Self::shared(previous, shared));
        let mut at = read.units.last().map_or(0, |unit| unit.elements.end);
        while at < elements.len() {
            let known = previous.and_then(|previous| known(dialect, elements, at, previous));
            let (count, messages) = match known {
                Some((count, messages)) => (count, messages.to_vec()),
                None => parsed(dialect, elements, at)?,
            };
            let first = read.messages.len();
            read.messages.extend(messages);
            read.units.push(Unit { elements: at..at + count, messages: first..read.messages.len() });
            at += count;
        }
        Ok(read)
    }

    /// The units of the previous request whose elements are among the first ones, up to one that a message follows, so that
    /// no reply goes on.
    fn shared(previous: &Request, elements: usize) -> Self {
        let ends = |unit: &Unit| unit.elements.end < elements && previous.is_message(unit.elements.end);
        let units = &previous.units[..previous.units.partition_point(|unit| unit.elements.end < elements)];
        let units = &units[..units.iter().rposition(ends).map_or(0, |last| last + 1)];
        let end = units.last().map_or(0, |unit| unit.messages.end);
        Self { messages: previous.history[previous.in_history(&(0..end))].to_vec(), units: units.to_vec() }
    }
}

/// The number of elements that are read together, and their messages, from a request with the same elements.
fn known<'r>(
    dialect: Dialect,
    elements: &[Node<'_>],
    at: usize,
    previous: &'r Request,
) -> Option<(usize, &'r [Arc<Message>])> {
    let unit = previous.unit_at(at)?;
    let new = elements.get(unit.elements.clone())?;
    let is_same = unit.elements.clone().zip(new).all(|(old, new)| previous.element(old).raw() == new.raw());
    let messages = &previous.history[previous.in_history(&unit.messages)];
    // A reply goes on as long as items of a reply follow.
    let is_reply = || dialect == Dialect::OpenAiResponses && messages.iter().any(|one| one.role == Role::Assistant);
    let end = unit.elements.end;
    let ends_as_before =
        || previous.is_message(end) && elements.get(end).is_some_and(|new| previous.element(end).raw() == new.raw());
    let is_longer = || !ends_as_before() && reply_goes_on(elements.get(end..).unwrap_or_default());
    (is_same && !(is_reply() && is_longer())).then_some((unit.elements.len(), messages))
}

/// The number of elements that are read together from an index on, and their messages.
pub(super) fn parsed(
    dialect: Dialect,
    elements: &[Node<'_>],
    at: usize,
) -> Result<(usize, Vec<Arc<Message>>), RequestError> {
    let count = if dialect == Dialect::OpenAiResponses { reply_length(&elements[at..]).max(1) } else { 1 };
    for (offset, element) in elements[at..at + count].iter().enumerate() {
        check(dialect, element).map_err(|expected| RequestError::in_element(at + offset, expected))?;
    }
    let messages = match dialect {
        Dialect::OpenAiResponses => responses_message(&elements[at..at + count]).into_iter().collect(),
        Dialect::OpenAiChat => text_of(&elements[at], |text| Some(vec![api::chat_message(text)?]))
            .ok_or_else(|| RequestError::in_element(at, "a message with a role"))?,
        Dialect::Anthropic => text_of(&elements[at], api::anthropic_messages)
            .ok_or_else(|| RequestError::in_element(at, "a message with the role `user` or `assistant`"))?,
    };
    Ok((count, messages.into_iter().map(Arc::new).collect()))
}

/// The number of items of the reply at the beginning; 0 if there is none. Pinned items between others belong to it.
fn reply_length(items: &[Node<'_>]) -> usize {
    let mut length = 0;
    while items.get(length).is_some_and(|item| item::kind(item).is_of_reply()) {
        length += 1;
        let pinned = pinned_length(&items[length..]);
        if reply_goes_on(&items[length..]) {
            length += pinned;
        }
    }
    length
}

/// Whether items of a reply come next, perhaps after pinned ones.
fn reply_goes_on(items: &[Node<'_>]) -> bool {
    items.get(pinned_length(items)).is_some_and(|item| item::kind(item).is_of_reply())
}

fn pinned_length(items: &[Node<'_>]) -> usize {
    items.iter().take_while(|item| item::kind(item) == ItemKind::Pinned).count()
}

fn check(dialect: Dialect, element: &Node<'_>) -> Result<(), &'static str> {
    let is_prompt = dialect == Dialect::OpenAiResponses && element.is_string();
    if !element.is_object() && !is_prompt {
        return Err("an object");
    }
    if api::is_deep(element.raw()) { Err("at most 128 levels of nesting") } else { Ok(()) }
}

fn responses_message(items: &[Node<'_>]) -> Option<Message> {
    if let [prompt] = items
        && prompt.is_string()
    {
        let parts = api::item_pieces(prompt.raw()).into_iter().map(trimtab_base::conversation::Part::new).collect();
        return Some(Message::new(Role::User, parts));
    }
    let texts: Vec<_> = items.iter().map(|item| api::without_lone_surrogates(item.raw())).collect();
    item::message(&texts.iter().map(|text| Node::of(text)).collect::<Vec<_>>())
}

/// Reads an element. One with a repeated key, which the readers of recordings reject, is read with the last value.
fn text_of<T>(element: &Node<'_>, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let text = api::without_lone_surrogates(element.raw());
    read(&text).or_else(|| {
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        read(&value.to_string())
    })
}
