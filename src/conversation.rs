//! The conversation that a model sees: messages, parts, groups, edits and invariants.
//!
//! In: messages in order, and edits. Out: the conversation after the edits, with receipts. This is the one place
//! that changes a conversation, and it refuses what would break an invariant.
//! It does not know policies, rules or facts, nor where a message was recorded.

mod apply;
mod clear;
mod counter;
mod edit;
mod entry;
mod harness;
mod invariant;
mod keep;
mod mark;
mod message;
mod rendering;

use std::collections::HashSet;
use std::sync::Arc;

pub use clear::ClearedResult;
#[cfg(test)]
pub(crate) use counter::Bytes;
pub use counter::Counter;
pub use edit::{Change, Edit, MessageId, PartId, Receipt};
pub use entry::Entry;
pub use harness::{Cleared, Compaction, HarnessEdits};
pub use invariant::{Invariant, Violation};
pub use keep::Keep;
pub use mark::Mark;
pub use message::{Arguments, Body, ImageSize, Level, Message, Origin, Part, Role, ToolResult, Usage};
pub use rendering::{render, shorten};
use smol_str::SmolStr;

/// A call and its results, or a message that stands alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(u32);

/// A call that has no result yet.
#[derive(Clone, Debug)]
struct Unanswered {
    id: SmolStr,
    name: SmolStr,
    group: GroupId,
}

/// Messages in order, grouped, with their tokens counted once.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    entries: Vec<Entry>,
    next: u32,
    tokens: u64,
    results: usize,
    /// The indices of messages that persons wrote.
    people: Vec<usize>,
    /// The index of the newest user message that no rule injected.
    prompted: Option<usize>,
    /// The index of the newest reply of the model.
    replied: Option<usize>,
    changes: mark::Changes,
    unanswered: Vec<Unanswered>,
    waiting: Vec<Message>,
    settled: bool,
    watched: bool,
    broken: Vec<Violation>,
    /// Messages whose results the recorded harness cleared.
    cleared: HashSet<MessageId>,
}

impl Conversation {
    /// A conversation whose edits are watched: what they break is kept for [`Conversation::take_broken`].
    pub fn watched() -> Self {
        Self { watched: true, ..Self::default() }
    }

    /// The invariants that edits have broken since the last call.
    pub fn take_broken(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.broken)
    }

    /// The messages in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Tokens of all messages.
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// How many tool results it holds.
    pub const fn results(&self) -> usize {
        self.results
    }

    /// How many interactions it holds.
    pub const fn interactions(&self) -> usize {
        self.people.len()
    }

    /// Where a message stands.
    pub fn index(&self, id: MessageId) -> Option<usize> {
        let sorted = self.entries.binary_search_by_key(&id, |entry| entry.id).ok();
        sorted.or_else(|| self.entries.iter().position(|entry| entry.id == id))
    }

    /// The number of leading system messages that no rule injected: the system prompt.
    pub fn prompt_len(&self) -> usize {
        let prompt = |entry: &&Entry| entry.role == Role::System && entry.message.origin == Origin::Recorded;
        self.entries.iter().take_while(prompt).count()
    }

    /// Whether the newest reply has calls whose results are still to come.
    pub fn is_pending(&self) -> bool {
        self.newest_reply().is_some_and(|entry| self.is_open(entry.group))
    }

    /// The model is about to be called: a call that has no result by now was given up, and is waited for no longer.
    pub fn abandon_open_calls(&mut self, counter: &dyn Counter) {
        self.settled = true;
        self.close(counter);
    }

    /// Whether a group has a call of the newest reply that waits for its result.
    pub(crate) fn is_open(&self, group: GroupId) -> bool {
        !self.settled && self.newest_reply().is_some_and(|entry| entry.group == group) && self.waits(group)
    }

    fn newest_reply(&self) -> Option<&Entry> {
        self.replied.map(|at| &self.entries[at])
    }

    /// Whether a group has a call without a result.
    fn waits(&self, group: GroupId) -> bool {
        // Calls are noted in the order of their groups.
        self.unanswered.binary_search_by_key(&group, |call| call.group).is_ok()
    }

    /// The index behind which the open tool loop lies: after the last user message that no rule injected.
    /// The whole length when the newest reply called no tool.
    pub fn loop_start(&self) -> usize {
        match self.newest_reply().and_then(|entry| entry.message.calls().next()) {
            Some(_) => self.prompted.map_or(0, |at| at + 1),
            None => self.entries.len(),
        }
    }

    /// The call that the result at an index answers: the tool and its arguments; none for what is no result, and where
    /// no call is known.
    pub fn answered(&self, at: usize) -> Option<(&SmolStr, &Arguments)> {
        let entry = self.entries.get(at)?;
        let result = entry.message.results().next()?;
        let first = self.entries.get(self.index(MessageId(entry.group.0))?)?;
        let mut calls = first.recorded().calls();
        let found = if result.id.is_empty() {
            calls.next().filter(|_| first.recorded().calls().nth(1).is_none())
        } else {
            calls.rfind(|(id, ..)| **id == result.id)
        };
        found.map(|(_, tool, arguments)| (tool, arguments))
    }

    /// Adds a message at the end and gives its tokens. Messages that waited for the last open result follow it.
    pub fn push(&mut self, message: impl Into<Arc<Message>>, counter: &dyn Counter) -> u64 {
        let message = message.into();
        if message.role != Role::Tool {
            self.close(counter);
        }
        self.settled &= message.role != Role::Assistant;
        let tokens = counter.message(&message);
        self.add(message, tokens);
        if !self.waiting.is_empty() && !self.is_pending() {
            self.release(counter);
        }
        tokens
    }

    /// Adds messages that still wait.
    fn close(&mut self, counter: &dyn Counter) {
        if !self.waiting.is_empty() {
            self.release(counter);
        }
    }

    /// Empties the conversation but for the system prompt: a recorded harness compacted here.
    pub fn reset(&mut self) {
        let keep = self.prompt_len();
        self.entries.truncate(keep);
        self.unanswered.clear();
        self.waiting.clear();
        self.changes.note(keep);
        self.recount();
    }

    /// Counts anew what is counted along otherwise, since messages have left.
    fn recount(&mut self) {
        (self.tokens, self.results, self.people, self.prompted, self.replied) = (0, 0, Vec::new(), None, None);
        for at in 0..self.entries.len() {
            self.count(at);
        }
    }

    /// Counts a message.
    fn count(&mut self, at: usize) {
        let Entry { role, tokens, message, .. } = &self.entries[at];
        self.tokens += tokens;
        self.results += usize::from(*role == Role::Tool);
        if message.is_person() {
            self.people.push(at);
        }
        if *role == Role::User && message.origin != Origin::Injected {
            self.prompted = Some(at);
        }
        if *role == Role::Assistant && message.origin != Origin::Injected {
            self.replied = Some(at);
        }
    }

    fn release(&mut self, counter: &dyn Counter) {
        for message in std::mem::take(&mut self.waiting) {
            let tokens = counter.message(&message);
            self.add(Arc::new(message), tokens);
        }
    }

    fn add(&mut self, message: Arc<Message>, tokens: u64) -> MessageId {
        let at = self.entries.len();
        let id = self.place(at, message, tokens);
        self.count(at);
        id
    }

    /// Puts a message at an index without counting it.
    fn place(&mut self, at: usize, message: Arc<Message>, tokens: u64) -> MessageId {
        let id = MessageId(self.next);
        self.next += 1;
        let (group, tool) = self.pair(id, &message);
        self.entries.insert(at, Entry::new(id, group, tokens, tool, message));
        id
    }

    /// Finds the group of a new message: a result joins its call, by id the nearest one that is unanswered.
    fn pair(&mut self, id: MessageId, message: &Message) -> (GroupId, Option<SmolStr>) {
        let own = GroupId(id.0);
        for (call, name, _) in message.calls() {
            self.unanswered.push(Unanswered { id: call.clone(), name: name.clone(), group: own });
        }
        let Some(result) = message.results().next() else { return (own, None) };
        let found = match result.id.as_str() {
            "" => self.first_open(),
            wanted => self.unanswered.iter().rposition(|call| call.id == wanted),
        };
        match found {
            Some(at) => {
                let call = self.unanswered.remove(at);
                (call.group, Some(call.name))
            }
            None => (own, result.name.clone()),
        }
    }

    /// The first unanswered call of the newest reply, for a result without an id.
    fn first_open(&self) -> Option<usize> {
        let newest = self.newest_reply()?.group;
        self.unanswered.iter().position(|call| call.group == newest)
    }
}

impl Message {
    /// Whether a person or caller wrote it: such a message opens an interaction. A message with which the context begins
    /// anew stands for what was there before, unless it begins a run.
    pub fn is_person(&self) -> bool {
        let is_summary = self.resets && self.run != Some(true);
        self.role == Role::User && self.origin == Origin::Recorded && !self.harness && !is_summary
    }
}
