//! What identifies a message in requests that repeat it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::HashSet;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message};

use super::unreliable_ids::unreliable_ids;
use crate::transcript::Transcript;

/// What identifies a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// What does not change when the result of a call is cleared.
    name: u64,
    /// The results besides, if their ids may be those of other calls too.
    content: Option<Content>,
}

/// The texts of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Content {
    hash: u64,
    /// Their length.
    length: usize,
}

/// The ids that do not tell calls apart: missing ones, and those of several calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids {
    unreliable: Arc<HashSet<SmolStr>>,
}

impl Key {
    /// Whether messages are told apart by their content.
    pub(super) const fn is_of_content(&self) -> bool {
        self.content.is_some()
    }

    /// Whether another message may be this one with cleared results.
    fn may_be_cleared_as(&self, other: &Self) -> bool {
        let is_shorter = |own: Content, other: Content| other.length < own.length;
        self.name == other.name && self.content.zip(other.content).is_some_and(|(own, other)| is_shorter(own, other))
    }
}

impl Ids {
    /// The ids in the records of a log.
    pub(super) fn of(records: &[Transcript]) -> Self {
        Self { unreliable: Arc::new(unreliable_ids(records)) }
    }

    /// The keys of the messages of a request.
    pub(super) fn keys(&self, messages: &[Message]) -> Vec<Key> {
        messages.iter().map(|message| self.key(message)).collect()
    }

    /// The key of a message.
    pub(super) fn key(&self, message: &Message) -> Key {
        let mut ids = message.calls().map(|(id, ..)| id).chain(message.results().map(|result| &result.id));
        if !ids.any(|id| self.unreliable.contains(id)) {
            return Key { name: by_ids(message), content: None };
        }
        let mut hasher = DefaultHasher::new();
        message.results().for_each(|result| result.text.trim().hash(&mut hasher));
        let length = message.results().map(|result| result.text.len()).sum();
        Key { name: by_content(message), content: Some(Content { hash: hasher.finish(), length }) }
    }
}

/// How many messages at the beginning of a context another one repeats. Where ids repeat, results may have been cleared only if
/// it repeats all messages, or has no others.
pub(super) fn common_prefix(context: &[Key], other: &[Key]) -> usize {
    let count = |same: fn(&Key, &Key) -> bool| context.iter().zip(other).take_while(|(a, b)| same(a, b)).count();
    let named = count(|a, b| a.name == b.name);
    // No client clears the newest result.
    let is_newest_same = || other.len().checked_sub(1).is_some_and(|last| context[last] == other[last]);
    let is_cleared = || count(|a, b| a == b || a.may_be_cleared_as(b)) == other.len() && is_newest_same();
    if named == context.len() || named == other.len() && is_cleared() { named } else { count(|a, b| a == b) }
}

/// Identifies a result by the id of its call, a reply by its calls or else its text, any other message by its text.
pub(in crate::transcript) fn by_ids(message: &Message) -> u64 {
    hash(message, |body, hasher| match body {
        Body::ToolResult(result) if result.id.is_empty() => result.text.trim().hash(hasher),
        Body::ToolResult(result) => result.id.hash(hasher),
        Body::ToolCall { id, name, arguments } if id.is_empty() => (name, arguments.text()).hash(hasher),
        Body::ToolCall { id, .. } => id.hash(hasher),
        _ => {}
    })
}

/// Identifies a reply by the tools and arguments of its calls, and a result only by being one.
fn by_content(message: &Message) -> u64 {
    hash(message, |body, hasher| {
        if let Body::ToolCall { name, arguments, .. } = body {
            (name, arguments.json()).hash(hasher);
        }
    })
}

/// The hash of a message, given what is hashed of calls and results. The text beside calls is left out, since clients may not
/// send it again.
fn hash(message: &Message, mut add_call: impl FnMut(&Body, &mut DefaultHasher)) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.role.hash(&mut hasher);
    let has_calls = message.calls().next().is_some();
    for part in &message.parts {
        match &part.body {
            Body::Text(text) if !has_calls && !text.trim().is_empty() => text.trim().hash(&mut hasher),
            Body::Image { bytes, .. } => bytes.hash(&mut hasher),
            body => add_call(body, &mut hasher),
        }
    }
    hasher.finish()
}
