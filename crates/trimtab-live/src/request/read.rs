//! From the elements of a list to messages.

use std::ops::Range;
use std::sync::Arc;

use trimtab_base::conversation::Message;
use trimtab_recordings::transcript::api::{self, UnnamedCalls};

use super::Request;
use super::dialect::Dialect;
use super::error::RequestError;
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
        let has_unnamed_calls = dialect.form().has_unnamed_calls;
        let mut calls = UnnamedCalls::default();
        if has_unnamed_calls {
            calls.observe(&read.messages);
        }
        // Whether an element means the same here as in the previous request.
        let mut is_same_so_far = true;
        while at < elements.len() {
            let comparable = previous.filter(|_| is_same_so_far || !has_unnamed_calls);
            let known = comparable.and_then(|previous| known(dialect, elements, at, previous));
            is_same_so_far &= known.is_some();
            let (count, messages) = match known {
                Some((count, messages)) => {
                    if has_unnamed_calls {
                        calls.observe(messages);
                    }
                    (count, messages.to_vec())
                }
                None => parsed(dialect, elements, at, &mut calls)?,
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
    let (start, end) = (unit.elements.start, unit.elements.end);
    let ends_as_before =
        || previous.is_message(end) && elements.get(end).is_some_and(|new| previous.element(end).raw() == new.raw());
    // A reply goes on as long as items of a reply follow.
    let is_longer = |reply_length: fn(&[Node<'_>]) -> usize| {
        !ends_as_before() && reply_length(elements.get(start..).unwrap_or_default()) > unit.elements.len()
    };
    (is_same && !dialect.form().reply_length.is_some_and(is_longer)).then_some((unit.elements.len(), messages))
}

/// The number of elements that are read together from an index on, and their messages.
pub(super) fn parsed(
    dialect: Dialect,
    elements: &[Node<'_>],
    at: usize,
    calls: &mut UnnamedCalls,
) -> Result<(usize, Vec<Arc<Message>>), RequestError> {
    let form = dialect.form();
    let count = form.reply_length.map_or(1, |length| length(&elements[at..]).max(1));
    for (offset, element) in elements[at..at + count].iter().enumerate() {
        let expected = match element {
            element if !(element.is_object() || element.is_string() && form.prompt_element.is_some()) => "an object",
            element if api::is_deep(element.raw()) => "at most 128 levels of nesting",
            _ => continue,
        };
        return Err(RequestError::in_element(at + offset, expected));
    }
    let messages = (form.read)(&elements[at..at + count], calls);
    let messages = messages.map_err(|expected| RequestError::in_element(at, expected))?;
    Ok((count, messages.into_iter().map(Arc::new).collect()))
}

/// Reads one element. One with a repeated key, which the readers of recordings reject, is read with the last value.
pub(super) fn single<T>(elements: &[Node<'_>], mut read: impl FnMut(&str) -> Option<T>) -> Option<T> {
    let text = api::without_lone_surrogates(elements.first()?.raw());
    read(&text).or_else(|| {
        let value: serde_json::Value = serde_json::from_str(&text).ok()?;
        read(&value.to_string())
    })
}
