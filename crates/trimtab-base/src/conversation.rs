//! The conversation that a model sees: messages, parts, groups, edits and invariants.
//!
//! Only this module changes a conversation. It applies [`Edit`]s, returns a [`Receipt`] for each, and refuses an edit
//! that would violate an invariant. It does not know policies, rules or facts, nor the format of recordings.

mod apply;
mod arguments;
mod call_kinds;
mod clear;
mod counter;
mod counting;
mod edit;
mod edit_log;
mod entry;
mod group;
mod harness;
mod invariant;
mod keep;
mod mark;
mod message;
mod miss;
mod name_filter;
mod offload;
mod open_calls;
mod pinned;
mod pins;
mod removal;
mod rendering;
mod retained;
mod section;
mod selection;
mod sent_prompt;
mod token_sums;
mod tool_name;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;

pub use arguments::{ArgumentText, Arguments};
pub use call_kinds::CallKinds;
pub use counter::Bytes;
pub use counter::Counter;
pub use edit::{Change, Edit, MessageId, PartId, Receipt};
pub use edit_log::AppliedEdit;
pub use entry::Entry;
pub use harness::{Cleared, Compaction, HarnessEdits, HeadChange};
pub use invariant::{Invariant, Violation};
pub use keep::Keep;
pub use mark::Mark;
pub use message::{Body, ImageSize, Level, MAX_TOKENS, Message, Origin, Part, Role, Service, Tier, ToolResult, Usage};
pub use miss::{Miss, ResultIndex};
pub use name_filter::NameFilter;
pub use offload::{
    RECALL_COMMAND, RECALL_DESCRIPTION, RECALL_SCHEMA, RECALL_TOOL, Recall, RecallError, content_id, is_content_id,
    is_recall, offload_id,
};
use open_calls::OpenCalls;
pub use pinned::{PinnedBefore, PinnedMessages};
pub use pins::{Pin, Pins};
pub use rendering::{render, render_result, shorten};
pub use selection::Lifetime;
pub use sent_prompt::SentPrompt;
use token_sums::TokenSums;
pub use tool_name::{any_matches, covers, overlap};
pub use view::{RequestSize, Retention, SentMessage, View, Views};

/// The identity of a group: a message with calls and their results, or any other message alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(u32);

/// Messages in order, in groups. The tokens of each message are counted once.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    entries: Vec<Entry>,
    /// The indices of entries whose id is greater than that of the next entry: those of summaries.
    breaks: Vec<usize>,
    /// The length of the system prompt, and its tokens.
    prompt: (usize, u64),
    /// The names of the sections of the system prompt, found on first use.
    sections: OnceLock<BTreeSet<SmolStr>>,
    next: u32,
    tokens: u64,
    /// The tokens of the messages, for sums of them.
    sums: TokenSums,
    /// The indices of tool results.
    results: Vec<usize>,
    /// The indices of messages written by a person.
    person_messages: Vec<usize>,
    /// The tokens of these messages, and nothing for others.
    person_sums: TokenSums,
    /// The indices of messages that are neither of the system nor written by a person.
    other_messages: Vec<usize>,
    /// The indices of summaries of rules.
    summaries: Vec<usize>,
    /// The indices of messages that every request contains, even if `retain` leaves out others around them.
    always_retained: Vec<usize>,
    /// The first and the last index of each group with other messages between its own.
    scattered: BTreeMap<usize, usize>,
    /// The index of the newest reply of the model. A message injected by a rule is not a reply.
    newest_reply: Option<usize>,
    /// The index of the newest copy of a reply that the recorded harness kept when it compacted.
    newest_kept_reply: Option<usize>,
    /// The message that began the current run.
    request: Option<MessageId>,
    /// Whether a message has arrived that does not belong to the system prompt.
    has_other: bool,
    changes: mark::Changes,
    /// The tools of the calls that have no result yet.
    unanswered: OpenCalls<SmolStr>,
    /// Added messages that wait for the next call of the model, after the results of open calls.
    deferred: Vec<Message>,
    /// Whether the unanswered calls of the newest reply have been abandoned.
    calls_abandoned: bool,
    checks_invariants: bool,
    violations: Vec<Violation>,
    /// The messages whose results the recorded harness has cleared, and those whose results it can clear.
    clearing: clear::Clearing,
    /// The content of offloaded results.
    offloaded: HashMap<MessageId, Arc<str>>,
    /// The removed messages, in the order of their removal.
    removed: Vec<MessageId>,
    /// Restored parts that edits must not change or remove.
    protected: HashSet<(MessageId, PartId)>,
    /// The applied edits, if they are kept.
    edit_log: Option<Vec<AppliedEdit>>,
}

impl Conversation {
    /// A conversation that checks the invariants after each edit and records violations for
    /// [`Conversation::take_violations`].
    pub fn with_invariant_checks() -> Self {
        Self { checks_invariants: true, ..Self::default() }
    }

    /// The violations since the last call.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations)
    }

    /// The messages in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The tokens of all messages.
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The tokens of the messages before an index.
    pub fn tokens_before(&self, at: usize) -> u64 {
        self.sums.before(at)
    }

    /// The number of tool results.
    pub const fn results(&self) -> usize {
        self.results.len()
    }

    /// The number of interactions.
    pub const fn interactions(&self) -> usize {
        self.person_messages.len()
    }

    /// The index of a message.
    pub fn index(&self, id: MessageId) -> Option<usize> {
        index_of(&self.entries, &self.breaks, id)
    }

    /// The length of the system prompt: the number of leading system messages that arrived before any other message. Later
    /// ones do not join it when everything between them is removed.
    pub const fn prompt_len(&self) -> usize {
        self.prompt.0
    }

    /// The tokens of the system prompt.
    pub const fn prompt_tokens(&self) -> u64 {
        self.prompt.1
    }

    /// The id of the next message that arrives.
    pub const fn next_id(&self) -> MessageId {
        MessageId(self.next)
    }

    /// Whether the newest reply has open calls.
    pub fn is_pending(&self) -> bool {
        self.newest_reply().is_some_and(|entry| self.is_open(entry.group))
    }

    /// Whether a message is the result of an open call.
    pub fn expects(&self, message: &Message) -> bool {
        let Some(newest) = self.newest_reply().filter(|_| !self.calls_abandoned).map(Entry::group) else {
            return false;
        };
        let answers = |id: &str| match id {
            "" => self.unanswered.has_any(newest),
            id => self.unanswered.has(newest, id),
        };
        message.results().next().is_some_and(|result| answers(&result.id))
    }

    /// Ends the wait for results, because the model is about to be called: those of open calls are no longer expected, and
    /// deferred messages are added.
    pub fn abandon_open_calls(&mut self, counter: &dyn Counter) {
        self.calls_abandoned = true;
        self.add_deferred(counter);
    }

    /// Whether a group contains an open call: a call of the newest reply whose result is still expected.
    pub fn is_open(&self, group: GroupId) -> bool {
        !self.calls_abandoned
            && self.newest_reply().is_some_and(|entry| entry.group == group)
            && self.unanswered.has_any(group)
    }

    /// The indices of the messages with calls that have no result, in order.
    pub fn unanswered(&self) -> impl Iterator<Item = usize> {
        self.unanswered.groups().filter_map(|group| self.index(MessageId(group.0)))
    }

    /// The index of the first message that a person wrote.
    pub fn first_person_message(&self) -> Option<usize> {
        self.person_messages.first().copied()
    }

    /// The indices of summaries of rules.
    pub fn summaries(&self) -> &[usize] {
        &self.summaries
    }

    /// The index of the first message of the group of the message at an index.
    pub fn group_start(&self, at: usize) -> Option<usize> {
        self.index(MessageId(self.entries[at].group.0))
    }

    /// The index of the newest reply of the model.
    pub const fn newest_reply_index(&self) -> Option<usize> {
        self.newest_reply
    }

    /// The newest reply of the model.
    fn newest_reply(&self) -> Option<&Entry> {
        self.newest_reply.map(|at| &self.entries[at])
    }

    /// The index of the first message of the open tool loop: the one after the newest message of a person. The number of
    /// messages when the newest reply, which may be a copy that the harness kept, called no tool.
    pub fn loop_start(&self) -> usize {
        let newest = self.newest_reply.max(self.newest_kept_reply).map(|at| &self.entries[at]);
        match newest.and_then(|entry| entry.message.calls().next()) {
            Some(_) => self.person_messages.last().map_or(0, |at| at + 1),
            None => self.entries.len(),
        }
    }

    /// Returns the tool and the arguments of the call that the result at this index answers, or `None` for other
    /// messages and for results without a known call.
    pub fn answered(&self, at: usize) -> Option<(&SmolStr, &Arguments)> {
        self.answered_call(at).map(|(_, tool, arguments)| (tool, arguments))
    }

    /// The call that the result at this index answers: its position among the calls of its reply, tool and arguments.
    pub fn answered_call(&self, at: usize) -> Option<(usize, &SmolStr, &Arguments)> {
        let entry = self.entries.get(at)?;
        let result = entry.message.results().next()?;
        self.entries.get(self.index(MessageId(entry.group.0))?)?.call(&result.id)
    }

    /// Adds a message at the end and returns its identity and its tokens. Deferred messages follow the last message before the
    /// next call: after the results of open calls, and after what a person has queued meanwhile.
    pub fn push(&mut self, message: impl Into<Arc<Message>>, counter: &dyn Counter) -> (MessageId, u64) {
        let message = message.into();
        if message.role == Role::Assistant {
            self.add_deferred(counter);
        }
        self.calls_abandoned &= message.role != Role::Assistant;
        let tokens = counter.message(&message);
        (self.add(message, tokens), tokens)
    }

    /// Removes everything but the system prompt, as the recorded harness did when it compacted.
    pub fn reset(&mut self) {
        let keep = self.prompt_len();
        let removed = self.drain(keep..self.entries.len());
        self.has_other = false;
        self.unanswered.clear();
        self.deferred.clear();
        self.changes.record_move(keep);
        self.recount(keep, self.tokens.saturating_sub(removed));
    }

    /// Takes out the messages of a range without counting again. Returns their tokens.
    fn drain(&mut self, range: std::ops::Range<usize>) -> u64 {
        self.removed.extend(self.entries[range.clone()].iter().map(Entry::id));
        self.entries.drain(range).map(|entry| entry.tokens).sum()
    }

    /// The removed messages except the first `count`, in the order of their removal.
    pub(super) fn removed_since(&self, count: usize) -> &[MessageId] {
        self.removed.get(count..).unwrap_or_default()
    }

    /// Adds the deferred messages at the end.
    fn add_deferred(&mut self, counter: &dyn Counter) {
        for message in std::mem::take(&mut self.deferred) {
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

    /// Inserts a message at an index. The caller then adds it to the sums and the lists of indices, see `count`.
    fn place(&mut self, at: usize, message: Arc<Message>, tokens: u64) -> MessageId {
        let entry = self.entry(message, tokens);
        let id = entry.id;
        self.entries.insert(at, entry);
        id
    }

    /// An entry for a new message, which is not yet inserted.
    fn entry(&mut self, message: Arc<Message>, tokens: u64) -> Entry {
        let id = MessageId(self.next);
        self.next += 1;
        self.has_other |= !is_prompt(&message);
        if !self.has_other {
            self.prompt = (self.prompt.0 + 1, self.prompt.1 + tokens);
            self.sections = OnceLock::new();
        }
        let (group, tool) = self.pair(id, &message);
        Entry::new(id, group, tokens, tool, message)
    }

    /// Finds the group of a new message. A result joins the newest unanswered call with its id.
    fn pair(&mut self, id: MessageId, message: &Message) -> (GroupId, Option<SmolStr>) {
        let own = GroupId(id.0);
        self.unanswered.add(own, message.calls().map(|(call, name, _)| (call.clone(), name.clone())));
        let Some(result) = message.results().next() else { return (own, None) };
        let found = match result.id.as_str() {
            // A result without an id belongs to the first unanswered call of the newest reply.
            "" => self.newest_reply().map(|entry| entry.group).and_then(|group| {
                let name = self.unanswered.take_first(group)?;
                Some((group, name))
            }),
            wanted => self.unanswered.take(wanted),
        };
        match found {
            Some((group, name)) => (group, Some(name)),
            None => (own, result.name.clone()),
        }
    }
}

/// The index of a message among entries whose ids increase, except at these breaks.
fn index_of(entries: &[Entry], breaks: &[usize], id: MessageId) -> Option<usize> {
    let starts = std::iter::once(0).chain(breaks.iter().map(|at| at + 1));
    let ends = breaks.iter().map(|at| at + 1).chain([entries.len()]);
    let find = |(start, end): (usize, usize)| {
        let found = entries[start..end].binary_search_by_key(&id, |entry| entry.id);
        found.ok().map(|at| start + at)
    };
    starts.zip(ends).find_map(find)
}

/// Whether a message belongs to the system prompt if it comes before all others.
fn is_prompt(message: &Message) -> bool {
    message.role == Role::System && message.origin == Origin::Recorded
}

impl Message {
    /// Whether it was written by a person or a caller, so that it begins an interaction. A message after which the context
    /// starts over summarises what was there before, unless it begins a run or is a copy of an earlier one.
    pub fn is_person(&self) -> bool {
        let is_summary = self.resets && !self.kept && self.run != Some(true);
        self.role == Role::User && self.origin == Origin::Recorded && !self.harness && !is_summary
    }
}
