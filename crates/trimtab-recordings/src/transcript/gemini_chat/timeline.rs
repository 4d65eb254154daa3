//! The messages of a session in the order in which the model saw them.

use std::ops::Range;

use foldhash::{HashMap, HashSet};
use serde::Deserialize;
use smol_str::SmolStr;

use super::kept::{self, MASKED, Words};
use crate::transcript::record::Skipped;
use crate::transcript::wire::{List, Raw, Str};

/// A recorded message.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) raw: Raw<'a>,
    id: SmolStr,
    /// The context begins again with this message.
    pub(super) resets: bool,
    /// The context begins again because Gemini CLI has compressed it.
    pub(super) is_compressed: bool,
    /// It is part of a list that replaced the messages before.
    pub(super) is_copy: bool,
    /// The index of the entry that such a list has a copy of here.
    pub(super) source: Option<usize>,
    /// The ids of calls whose results were masked before this message.
    pub(super) cleared: Vec<SmolStr>,
}

/// The messages so far.
#[derive(Debug, Default)]
pub(super) struct Timeline<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    /// The indexes of the entries with each id, in ascending order.
    by_id: HashMap<SmolStr, Vec<usize>>,
    /// The messages of branches that the person has left, each with the number of entries before it.
    pub(super) left: Vec<(usize, Raw<'a>)>,
    /// The index of the first message of the context.
    start: usize,
    /// The ids of calls whose results were masked after the last message.
    cleared: Vec<SmolStr>,
    /// The ids of all calls whose results were masked.
    masked: HashSet<SmolStr>,
    /// The ids of messages for those of their copies, which are not added.
    copied: HashMap<SmolStr, SmolStr>,
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
        if self.copied.contains_key(&id) {
            return skipped.count("copied message");
        }
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
        self.by_id.entry(id.clone()).or_default().push(self.entries.len());
        self.entries.push(Entry { raw, id, resets, is_compressed: false, is_copy, source: None, cleared });
    }

    /// The place in the current context of a message, or of the one that it is a copy of.
    fn position(&self, id: &str) -> Option<usize> {
        let id = self.copied.get(id).map_or(id, SmolStr::as_str);
        let newest = self.by_id.get(id).filter(|_| !id.is_empty())?.last().copied();
        newest.filter(|at| *at >= self.start)
    }

    /// Removes the message with this id and all after it, or all messages if there is none with this id.
    pub(super) fn rewind_to(&mut self, id: &str, skipped: &mut Skipped) {
        self.truncate(self.position(id).unwrap_or(self.start), skipped);
    }

    fn truncate(&mut self, length: usize, skipped: &mut Skipped) {
        let removed = self.split_off(length);
        skipped.add("other branch", removed.len() as u64);
        self.left.extend(removed.iter().filter(|entry| !entry.is_copy).map(|entry| (length, entry.raw)));
    }

    /// Removes the entries from this index on.
    fn split_off(&mut self, length: usize) -> Vec<Entry<'a>> {
        for (before, _) in &mut self.left {
            *before = length.min(*before);
        }
        let removed = self.entries.split_off(length.min(self.entries.len()));
        for entry in &removed {
            self.by_id.get_mut(&entry.id).and_then(Vec::pop);
        }
        removed
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
        if self.drop_copies(&messages) {
            return;
        }
        let is_known = messages.iter().all(|raw| self.source(&id_of(*raw)).is_some());
        if !is_known {
            self.replace(messages);
            return;
        }
        if self.is_resuming {
            return;
        }
        self.truncate(self.source(&last).map_or(self.entries.len(), |at| at + 1), skipped);
        for raw in messages {
            let id = id_of(raw);
            if self.copied.contains_key(&id) {
                self.mask(kept::masked_results(raw));
                continue;
            }
            let Some(at) = self.position(&id) else { continue };
            let masked = masked_calls(self.entries[at].raw, raw);
            // A masked result stays as it was recorded before, and so does a reply with usage: the copy has it in other parts.
            if masked.is_empty() && !has_tokens(self.entries[at].raw) {
                self.entries[at].raw = raw;
            }
            self.mask(masked);
        }
    }

    /// Begins the context again with other messages, of which the last ones may be copies.
    fn replace(&mut self, messages: Vec<Raw<'a>>) {
        let is_copy = self.entries.len() > self.start;
        let words: Vec<_> = messages.iter().map(|raw| Words::of(*raw)).collect();
        let is_compressed = is_copy && words.iter().flatten().any(Words::follows_compression);
        let by_words = kept::sources(self.raws(self.start..self.entries.len()), &messages);
        let mut used = HashSet::default();
        let mut sources = Vec::with_capacity(messages.len());
        for ((raw, words), source) in messages.iter().zip(words).zip(by_words) {
            let by_id = words.and_then(|_| self.position(&id_of(*raw)));
            let source = source.map(|at| self.start + at).or(by_id);
            sources.push(source.filter(|at| used.insert(*at)));
        }
        self.start = self.entries.len();
        for (raw, source) in messages.into_iter().zip(sources) {
            self.push(raw, id_of(raw), is_copy);
            if let Some(entry) = self.entries.last_mut() {
                entry.is_compressed = entry.resets && is_compressed;
                entry.source = source;
            }
        }
    }

    /// Drops the newest messages if the list has exactly these and they are copies of all messages before: Gemini CLI adds
    /// such copies when it masks results. Returns whether they are.
    fn drop_copies(&mut self, list: &[Raw<'a>]) -> bool {
        let Some(first) = list.first().and_then(|raw| self.position(&id_of(*raw))) else { return false };
        let newest = self.entries.get(first..).unwrap_or_default();
        let is_newest = newest.iter().map(|entry| entry.id.clone()).eq(list.iter().map(|raw| id_of(*raw)));
        if first == self.start || !is_newest || list.iter().any(|raw| has_tokens(*raw) || has_calls(*raw)) {
            return false;
        }
        let sources = kept::sources(self.raws(self.start..first), list);
        let is_new_reply = |(raw, source): (&Raw<'a>, &Option<usize>)| {
            source.is_none() && Words::of(*raw).is_some_and(|words| words.is_reply)
        };
        if sources.iter().all(Option::is_none) || list.iter().zip(&sources).any(is_new_reply) {
            return false;
        }
        let mut at = self.start;
        for (raw, source) in list.iter().zip(sources) {
            // The results of a call have the place of the reply.
            at = source.map_or(at, |source| self.start + source);
            let id = id_of(*raw);
            if !id.is_empty() {
                self.copied.insert(id, self.entries[at].id.clone());
            }
        }
        let removed = self.split_off(first);
        self.cleared.extend(removed.into_iter().flat_map(|entry| entry.cleared));
        self.mask(list.iter().flat_map(|raw| kept::masked_results(*raw)).collect());
        true
    }

    /// The recorded messages of these entries.
    fn raws(&self, entries: Range<usize>) -> impl DoubleEndedIterator<Item = Raw<'a>> + ExactSizeIterator {
        self.entries.get(entries).unwrap_or_default().iter().map(|entry| entry.raw)
    }

    /// Notes calls whose results are masked from now on.
    fn mask(&mut self, calls: Vec<SmolStr>) {
        let new = calls.into_iter().filter(|id| self.masked.insert(id.clone()));
        self.cleared.extend(new);
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
