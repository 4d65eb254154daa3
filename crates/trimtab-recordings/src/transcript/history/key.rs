//! What identifies a message in requests that repeat it.

use std::hash::{DefaultHasher, Hash, Hasher};

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Message, ToolResult};

use crate::transcript::Transcript;
use crate::transcript::gemini_contents::part::PartReader;

/// What identifies a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// What does not change when the result of a call is cleared.
    name: u64,
    /// The text of a result besides, if its id may be that of another call too.
    content: u64,
    /// The length of that text.
    length: usize,
}

/// Whether an id belongs to one call only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ids {
    #[default]
    Distinct,
    /// Calls have no ids, or ids that other calls of the log have too, as where each request numbers its calls.
    Repeated,
}

impl Ids {
    /// Whether ids of calls repeat in the records of a log.
    pub(super) fn of(records: &[Transcript]) -> Self {
        let mut known = KnownCalls::default();
        for record in records {
            let mut own = HashSet::default();
            if record.messages.iter().any(|message| known.differ(message) || has_repeated_call(message, &mut own)) {
                return Self::Repeated;
            }
        }
        Self::Distinct
    }

    /// The keys of the messages of a request.
    pub(super) fn keys(self, messages: &[Message]) -> Vec<Key> {
        messages.iter().map(|message| self.key(message)).collect()
    }

    /// The key of a message.
    pub(super) fn key(self, message: &Message) -> Key {
        match self {
            Self::Distinct => Key { name: by_ids(message), content: 0, length: 0 },
            Self::Repeated => Key {
                name: by_content(message, false),
                content: by_content(message, true),
                length: message.results().map(|result| result.text.len()).sum(),
            },
        }
    }
}

/// What the records of a log so far say of the call with each id.
#[derive(Default)]
struct KnownCalls<'a> {
    tools: HashMap<&'a SmolStr, &'a SmolStr>,
    /// The arguments in requests. A client may write those of a reply in another way.
    arguments: HashMap<&'a SmolStr, &'a Arguments>,
    results: HashMap<&'a SmolStr, &'a str>,
}

impl<'a> KnownCalls<'a> {
    /// Whether the calls and results of a message are others than those with the same ids before.
    fn differ(&mut self, message: &'a Message) -> bool {
        let is_sent = message.usage.is_none();
        let is_other_call = message.calls().any(|(id, tool, arguments)| {
            *self.tools.entry(id).or_insert(tool) != tool
                || is_sent && !self.arguments.entry(id).or_insert(arguments).same(arguments)
        });
        // A result that has been cleared is shorter.
        let is_other_result = |result: &'a ToolResult| {
            let known = self.results.insert(&result.id, &result.text);
            known.is_some_and(|known| known != result.text.as_ref() && known.len() <= result.text.len())
        };
        is_other_call || message.results().any(is_other_result)
    }
}

/// Whether a message has a call without an id of its own, or with that of an earlier call of the same record.
fn has_repeated_call<'a>(message: &'a Message, known: &mut HashSet<&'a SmolStr>) -> bool {
    message.calls().any(|(id, _, _)| id.is_empty() || PartReader::is_number(id) || !known.insert(id))
}

/// How many messages at the beginning of a context another one repeats. Where ids repeat, results may have been cleared only if
/// it repeats all messages, or has no others.
pub(super) fn common_prefix(context: &[Key], other: &[Key]) -> usize {
    let count = |same: fn(&Key, &Key) -> bool| context.iter().zip(other).take_while(|(a, b)| same(a, b)).count();
    let named = count(|a, b| a.name == b.name);
    let is_cleared = || count(|a, b| a == b || a.name == b.name && b.length < a.length) == other.len();
    if named == context.len() || named == other.len() && is_cleared() { named } else { count(|a, b| a == b) }
}

/// Identifies a result by the id of its call, a reply by its calls or else its text, any other message by its text.
pub(in crate::transcript) fn by_ids(message: &Message) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.role.hash(&mut hasher);
    let has_calls = message.calls().next().is_some();
    for part in &message.parts {
        match &part.body {
            Body::ToolResult(result) if result.id.is_empty() => result.text.trim().hash(&mut hasher),
            Body::ToolResult(result) => result.id.hash(&mut hasher),
            Body::ToolCall { id, name, arguments } if id.is_empty() => (name, arguments.text()).hash(&mut hasher),
            Body::ToolCall { id, .. } => id.hash(&mut hasher),
            Body::Text(text) if !has_calls && !text.trim().is_empty() => text.trim().hash(&mut hasher),
            Body::Image { bytes, .. } => bytes.hash(&mut hasher),
            _ => {}
        }
    }
    hasher.finish()
}

/// Identifies a message by its content, with or without the texts of results.
fn by_content(message: &Message, with_results: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    message.role.hash(&mut hasher);
    for part in &message.parts {
        match &part.body {
            Body::ToolResult(result) if with_results => result.text.trim().hash(&mut hasher),
            Body::ToolCall { name, arguments, .. } => {
                name.hash(&mut hasher);
                arguments.json().hash(&mut hasher);
            }
            Body::Text(text) if !text.trim().is_empty() => text.trim().hash(&mut hasher),
            Body::Image { bytes, .. } => bytes.hash(&mut hasher),
            _ => {}
        }
    }
    hasher.finish()
}
