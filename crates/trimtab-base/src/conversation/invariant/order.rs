//! Compares the order of messages before and after summaries and added messages.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::{Invariant, Violation};
use crate::conversation::edit::{Edit, MessageId};
use crate::conversation::message::{Origin, Role};
use crate::conversation::{Conversation, Entry, GroupId};

/// The order of the messages from an index on.
pub(super) struct Order {
    from: usize,
    /// The last message of the system prompt.
    prompt: Option<MessageId>,
    messages: Vec<(MessageId, Role)>,
    /// The messages that edits remove or replace with summaries.
    named: HashSet<MessageId>,
    /// The number of messages that edits may add.
    added: usize,
    running: usize,
    faults: HashSet<Violation>,
    /// The messages of groups with a call without a result, which may still come.
    unanswered: HashSet<MessageId>,
}

/// Records the order if edits may change it.
pub(super) fn before(conversation: &Conversation, edits: &[Edit]) -> Option<Order> {
    let (mut named, mut added, mut whole, mut removed) = (HashSet::new(), 0, false, false);
    for edit in edits {
        match edit {
            Edit::Reduce { .. } | Edit::Restore { .. } => continue,
            Edit::Remove { messages } => {
                named.extend(messages.iter().copied());
                (whole, removed) = (true, true);
                continue;
            }
            Edit::Summarise { messages, .. } => {
                named.extend(messages.iter().copied());
                whole = true;
            }
            // A result may answer any call; other added messages can only come between the newest reply and its results.
            Edit::Append(message) => whole |= message.results().next().is_some(),
        }
        added += 1;
    }
    let prompt = conversation.prompt_len();
    let from = if whole { prompt } else { conversation.newest_reply.unwrap_or(prompt) };
    let messages = conversation.entries[from..].iter().map(|entry| (entry.id, entry.role)).collect();
    let (running, faults) = (running(conversation, from), faults(conversation, from));
    let prompt = last_of_prompt(conversation);
    let unanswered = unanswered(conversation, from);
    (added > 0 || removed).then_some(Order { from, prompt, messages, named, added, running, faults, unanswered })
}

impl Order {
    /// The violations caused by the edits.
    pub(super) fn violations(&self, conversation: &Conversation) -> Vec<Violation> {
        if last_of_prompt(conversation) != self.prompt {
            // Nothing stands where it did.
            let message = self.prompt.unwrap_or(MessageId(0));
            return vec![Violation { invariant: Invariant::SystemPrompt, message }];
        }
        let mut violations: Vec<Violation> =
            faults(conversation, self.from).difference(&self.faults).copied().collect();
        let mut add = |invariant, message| violations.push(Violation { invariant, message });
        let known: HashSet<MessageId> = self.messages.iter().map(|(id, _)| *id).collect();
        let (old, new): (Vec<_>, Vec<_>) =
            conversation.entries[self.from..].iter().partition(|entry| known.contains(&entry.id));
        let mut left = old.iter().peekable();
        for &(id, role) in &self.messages {
            if left.next_if(|entry| entry.id == id).is_some() {
                continue;
            }
            if role == Role::System {
                add(Invariant::SystemPrompt, id);
            } else if !self.named.contains(&id) {
                add(Invariant::Untouched, id);
            } else if conversation.pinned.iter().any(|(message, _)| *message == id) {
                add(Invariant::Pinned, id);
            } else if self.unanswered.contains(&id) {
                add(Invariant::Pairs, id);
            }
        }
        if new.len() > self.added {
            add(Invariant::Untouched, new[0].id);
        }
        if running(conversation, self.from) > self.running.max(1) {
            add(Invariant::RunningSummary, new.last().map_or(MessageId(0), |entry| entry.id));
        }
        violations
    }
}

/// The last message of the system prompt. A message of the prompt is missing if another one stands in its place.
fn last_of_prompt(conversation: &Conversation) -> Option<MessageId> {
    let last = conversation.prompt_len().checked_sub(1)?;
    conversation.entries.get(last).map(Entry::id)
}

/// The messages from an index on that belong to a group with more calls than results.
fn unanswered(conversation: &Conversation, from: usize) -> HashSet<MessageId> {
    let entries = &conversation.entries[from..];
    let mut results: HashMap<GroupId, usize> = HashMap::new();
    for entry in entries.iter().filter(|entry| entry.role == Role::Tool) {
        *results.entry(entry.group).or_default() += 1;
    }
    let is_open = |entry: &&Entry| {
        let calls = entry.message.calls().count();
        calls > results.get(&entry.group).copied().unwrap_or(0)
    };
    let open: HashSet<GroupId> = entries.iter().filter(is_open).map(|entry| entry.group).collect();
    entries.iter().filter(|entry| open.contains(&entry.group)).map(Entry::id).collect()
}

/// The number of running summaries from an index on.
fn running(conversation: &Conversation, from: usize) -> usize {
    let is_running = |entry: &&Entry| entry.message.origin == Origin::RunningSummary;
    conversation.entries[from..].iter().filter(is_running).count()
}

/// All violations in the order of messages from an index on, including those of the recording.
fn faults(conversation: &Conversation, from: usize) -> HashSet<Violation> {
    let entries = &conversation.entries;
    let mut faults = HashSet::new();
    let mut add = |invariant, message| faults.insert(Violation { invariant, message });
    let first = entries.iter().skip(conversation.prompt_len()).find(|entry| entry.role != Role::System);
    if let Some(first) = first.filter(|entry| entry.role != Role::User) {
        add(Invariant::UserFirst, first.id);
    }
    let mut calls: HashMap<GroupId, usize> = HashMap::new();
    let mut other = None;
    for (at, entry) in entries.iter().enumerate().skip(from) {
        if entry.message.calls().next().is_some() {
            calls.insert(entry.group, at);
        }
        if entry.role == Role::Tool {
            let call = calls.get(&entry.group).copied();
            if call.is_none() || other > call {
                add(Invariant::Pairs, entry.id);
            }
        } else {
            other = Some(at);
        }
    }
    for (&group, &at) in &calls {
        let wanted = entries[at].message.calls().count();
        let found = entries[at + 1..].iter().take_while(|entry| entry.role == Role::Tool);
        if found.filter(|entry| entry.group == group).count() < wanted {
            add(Invariant::Pairs, entries[at].id);
        }
    }
    faults
}
