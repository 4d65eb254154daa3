//! The messages of a session in the order in which the model saw them.

use serde::Deserialize;
use smol_str::SmolStr;

use crate::transcript::record::Skipped;
use crate::transcript::wire::{List, Raw, Str};

/// What Gemini CLI writes into a result that it masks.
const MASKED: &str = "<tool_output_masked>";

/// A recorded message.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) raw: Raw<'a>,
    id: SmolStr,
    /// The context begins again with this message.
    pub(super) resets: bool,
    /// It is part of a list that replaced the messages before.
    pub(super) is_copy: bool,
    /// The ids of calls whose results were masked before this message.
    pub(super) cleared: Vec<SmolStr>,
}

/// The messages so far.
#[derive(Debug, Default)]
pub(super) struct Timeline<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    /// The messages of branches that the person has left, each with the number of entries before it.
    pub(super) left: Vec<(usize, Raw<'a>)>,
    /// The index of the first message of the context.
    start: usize,
    /// The ids of calls whose results were masked after the last message.
    cleared: Vec<SmolStr>,
    /// The session was resumed, and no message was added since.
    is_resuming: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Keys<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(rename = "toolCalls")]
    calls: List<'a>,
    tokens: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CallKeys<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    result: Option<Raw<'a>>,
}

impl<'a> Timeline<'a> {
    /// Notes a header. After its first one, a session is resumed.
    pub(super) const fn begin(&mut self) {
        self.is_resuming = !self.entries.is_empty();
    }

    /// Adds a message, or replaces the one with the same id.
    pub(super) fn add(&mut self, raw: Raw<'a>, skipped: &mut Skipped) {
        if !skipped.accepts(&raw) {
            return;
        }
        self.is_resuming = false;
        let id = id_of(raw);
        match self.position(&id) {
            Some(at) => {
                if has_calls(self.entries[at].raw) && !has_calls(raw) {
                    skipped.count("replaced message");
                }
                self.entries[at].raw = raw;
            }
            None => self.push(raw, id, false),
        }
    }

    fn push(&mut self, raw: Raw<'a>, id: SmolStr, is_copy: bool) {
        let resets = self.start > 0 && self.start == self.entries.len();
        let cleared = std::mem::take(&mut self.cleared);
        self.entries.push(Entry { raw, id, resets, is_copy, cleared });
    }

    /// The place of a message in the current context.
    fn position(&self, id: &str) -> Option<usize> {
        let context = self.entries.get(self.start..).unwrap_or_default();
        context.iter().rposition(|entry| !id.is_empty() && entry.id == id).map(|at| self.start + at)
    }

    /// Removes the message with this id and all after it, or all messages if there is none with this id.
    pub(super) fn rewind_to(&mut self, id: &str, skipped: &mut Skipped) {
        self.truncate(self.position(id).unwrap_or(self.start), skipped);
    }

    fn truncate(&mut self, length: usize, skipped: &mut Skipped) {
        skipped.add("other branch", self.entries.len().saturating_sub(length) as u64);
        for (before, _) in &mut self.left {
            *before = length.min(*before);
        }
        let left = self.entries.drain(length.min(self.entries.len())..).filter(|entry| !entry.is_copy);
        self.left.extend(left.map(|entry| (length, entry.raw)));
    }

    /// The place in the current context of a message, or of the reply whose results a copy has (`ID_response`).
    fn source(&self, id: &str) -> Option<usize> {
        self.position(id).or_else(|| self.position(id.strip_suffix("_response")?))
    }

    /// Replaces the messages of the context. With messages that are not in it, the context begins again. When a session
    /// is resumed, Gemini CLI first writes the beginning of the list, and then copies of all its messages.
    pub(super) fn set(&mut self, messages: Vec<Raw<'a>>, skipped: &mut Skipped) {
        let messages: Vec<_> = messages.into_iter().filter(|raw| skipped.accepts(raw)).collect();
        let Some(last) = messages.last().map(|raw| id_of(*raw)) else { return };
        let is_known = messages.iter().all(|raw| self.source(&id_of(*raw)).is_some());
        if !is_known {
            let is_copy = self.entries.len() > self.start;
            self.start = self.entries.len();
            for raw in messages {
                self.push(raw, id_of(raw), is_copy);
            }
            return;
        }
        if self.is_resuming {
            return;
        }
        self.truncate(self.source(&last).map_or(self.entries.len(), |at| at + 1), skipped);
        for raw in messages {
            let Some(at) = self.position(&id_of(raw)) else { continue };
            let masked = masked_calls(self.entries[at].raw, raw);
            // A masked result stays as it was recorded before, and so does a reply with usage: the copy has it in other parts.
            if masked.is_empty() && !has_tokens(self.entries[at].raw) {
                self.entries[at].raw = raw;
            }
            self.cleared.extend(masked);
        }
    }
}

fn id_of(raw: Raw<'_>) -> SmolStr {
    raw.object::<Keys<'_>>().and_then(|keys| keys.id.non_empty()).unwrap_or_default()
}

/// Whether a message has calls.
fn has_calls(raw: Raw<'_>) -> bool {
    raw.object::<Keys<'_>>().is_some_and(|keys| keys.calls.0.is_some_and(|calls| !calls.is_empty()))
}

/// Whether a message has usage.
fn has_tokens(raw: Raw<'_>) -> bool {
    raw.object::<Keys<'_>>().is_some_and(|keys| keys.tokens.is_some())
}

/// The calls of a message whose results are masked in a newer version of it.
fn masked_calls(old: Raw<'_>, new: Raw<'_>) -> Vec<SmolStr> {
    let is_masked = |call: &CallKeys<'_>| call.result.is_some_and(|result| result.get().contains(MASKED));
    let masked = |raw: Raw<'_>| {
        let keys: Keys<'_> = raw.object().unwrap_or_default();
        let calls = keys.calls.0.unwrap_or_default().into_iter().filter_map(Raw::object::<CallKeys<'_>>);
        calls.filter(is_masked).filter_map(|call| call.id.non_empty()).collect::<Vec<_>>()
    };
    let before = masked(old);
    masked(new).into_iter().filter(|id| !before.contains(id)).collect()
}
