//! The calls of a context or a run, told apart by tool and arguments.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::conversation::{Arguments, Conversation, Entry, Mark, Message};
use crate::fact::history::Run;

/// Which calls are identical, so that those among the newest are counted without comparing them again.
#[derive(Debug, Default)]
pub(super) struct CallIndex {
    /// For each call the index of what it is identical to.
    kinds: Vec<usize>,
    distinct: Vec<DistinctCall>,
    by_hash: HashMap<u64, Vec<usize>>,
}

#[derive(Debug)]
struct DistinctCall {
    tool: SmolStr,
    arguments: Arguments,
    /// The indices of the identical calls, in order.
    calls: Vec<usize>,
}

impl CallIndex {
    fn extend(&mut self, message: &Message) {
        for (_, tool, arguments) in message.calls() {
            let kind = self.kind(tool, arguments);
            self.distinct[kind].calls.push(self.kinds.len());
            self.kinds.push(kind);
        }
    }

    fn truncate(&mut self, length: usize) {
        while self.kinds.len() > length
            && let Some(kind) = self.kinds.pop()
        {
            self.distinct[kind].calls.pop();
        }
    }

    /// The index of the call that this one is identical to.
    pub(super) fn kind(&mut self, tool: &SmolStr, arguments: &Arguments) -> usize {
        let distinct = &mut self.distinct;
        let known = self.by_hash.entry(hash(tool, arguments)).or_default();
        let is_same = |at: &usize| distinct[*at].tool == *tool && distinct[*at].arguments.same(arguments);
        known.iter().copied().find(is_same).unwrap_or_else(|| {
            known.push(distinct.len());
            distinct.push(DistinctCall { tool: tool.clone(), arguments: arguments.clone(), calls: Vec::new() });
            distinct.len() - 1
        })
    }

    /// How many of the newest calls are identical to the newest one, itself included.
    fn occurrences(&self, within: usize) -> usize {
        let Some(newest) = self.kinds.last() else { return 0 };
        let first = self.kinds.len().saturating_sub(within);
        let calls = &self.distinct[*newest].calls;
        calls.len() - calls.partition_point(|call| *call < first)
    }
}

/// A hash that is equal for calls that are identical: objects hash the same in any order of their keys, numbers of any
/// notation too.
fn hash(tool: &str, arguments: &Arguments) -> u64 {
    let value = match arguments.parsed() {
        Some(json) => hash_json(&json),
        None => hash_of(&arguments.text()),
    };
    hash_of(&(tool, value))
}

fn hash_json(json: &Json) -> u64 {
    match json {
        Json::Null => 1,
        Json::Bool(value) => hash_of(value),
        // `0.0` equals `-0.0`.
        Json::Number(_) => 2,
        Json::String(text) => hash_of(text),
        Json::Array(items) => hash_of(&items.iter().map(hash_json).collect::<Vec<_>>()),
        Json::Object(map) => {
            map.iter().fold(3, |sum, (key, value)| sum.wrapping_add(hash_of(&(key, hash_json(value)))))
        }
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The calls in a context, followed as it changes.
#[derive(Debug, Default)]
pub(super) struct ContextCalls {
    mark: Option<Mark>,
    /// The number of calls up to each message.
    counts: Vec<usize>,
    index: CallIndex,
}

impl ContextCalls {
    pub(super) fn occurrences(&mut self, conversation: &Conversation, within: usize) -> usize {
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        self.counts.truncate(unchanged);
        self.index.truncate(self.counts.last().copied().unwrap_or(0));
        for message in conversation.entries().iter().skip(self.counts.len()).map(Entry::recorded) {
            self.index.extend(message);
            self.counts.push(self.index.kinds.len());
        }
        self.mark = Some(conversation.mark());
        self.index.occurrences(within)
    }
}

/// The calls of a run.
#[derive(Debug, Default)]
pub(super) struct RunCalls {
    run: u64,
    /// The number of replies that are in the index.
    replies: usize,
    index: CallIndex,
}

impl RunCalls {
    pub(super) fn occurrences(&mut self, run: &Run, within: usize) -> usize {
        if self.run != run.number || self.replies > run.replies.len() {
            *self = Self { run: run.number, ..Self::default() };
        }
        run.replies.iter().skip(self.replies).for_each(|reply| self.index.extend(reply));
        self.replies = run.replies.len();
        self.index.occurrences(within)
    }
}
