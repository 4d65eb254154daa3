//! Compares the order of messages before and after summaries and added messages.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::{Invariant, Violation};
use crate::conversation::edit::{Edit, MessageId};
use crate::conversation::message::{Origin, Role};
use crate::conversation::{Conversation, Entry, GroupId};

/// The order of the messages from an index on.
pub(super) struct Order {
    from: usize,
    /// The message before it.
    before: Option<MessageId>,
    /// The last message of the system prompt.
    prompt: Option<MessageId>,
    /// The index of a summary before it that gives its place to another one.
    summary: Option<usize>,
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
    let (mut named, mut added, mut whole, mut removed, mut appends) = (HashSet::new(), 0, false, false, false);
    for edit in edits {
        match edit {
            Edit::Reduce { .. } | Edit::Restore { .. } => continue,
            Edit::Remove { messages } => {
                named.extend(messages.iter().copied());
                removed = true;
                continue;
            }
            Edit::Summarise { messages, .. } => named.extend(messages.iter().copied()),
            // A result may answer any call; other added messages can only come between the newest reply and its results.
            Edit::Append(message) => {
                whole |= message.results().next().is_some();
                appends = true;
            }
        }
        added += 1;
    }
    let prompt = conversation.prompt_len();
    let mut places: Vec<usize> = named.iter().filter_map(|message| conversation.index(*message)).collect();
    places.sort_unstable();
    let summary = places.first().copied().filter(|at| conversation.entries[*at].is_summary() && is_one_summary(edits));
    // Nothing else moves before the first group that edits name or span.
    let first_named = places.get(usize::from(summary.is_some())).copied().unwrap_or(conversation.entries.len());
    let newest = conversation.newest_reply.unwrap_or(prompt);
    let first = conversation.whole_groups_before(if appends { first_named.min(newest) } else { first_named });
    let from = if whole { prompt } else { first.max(prompt) };
    let messages = conversation.entries[from..].iter().map(|entry| (entry.id, entry.role)).collect();
    (added > 0 || removed).then(|| Order {
        from,
        before: last_before(conversation, from),
        prompt: last_before(conversation, prompt),
        summary: summary.filter(|at| *at < from),
        messages,
        named,
        added,
        running: running(conversation),
        faults: faults(conversation, from),
        unanswered: unanswered(conversation, from),
    })
}

/// Whether the only edit of the order is a summary.
fn is_one_summary(edits: &[Edit]) -> bool {
    let mut of_order = edits.iter().filter(|edit| !matches!(edit, Edit::Reduce { .. } | Edit::Restore { .. }));
    matches!((of_order.next(), of_order.next()), (Some(Edit::Summarise { .. }), None))
}

impl Order {
    /// The violations caused by the edits.
    pub(super) fn violations(&self, conversation: &Conversation) -> Vec<Violation> {
        let is_summary = |at: usize| conversation.entries.get(at).is_some_and(Entry::is_summary);
        // Nothing stands where it did.
        if last_before(conversation, conversation.prompt_len()) != self.prompt {
            let message = self.prompt.unwrap_or(MessageId(0));
            return vec![Violation { invariant: Invariant::SystemPrompt, message }];
        }
        // The summary may be the message before.
        let is_moved =
            last_before(conversation, self.from) != self.before && self.summary.map(|at| at + 1) != Some(self.from);
        if is_moved || self.summary.is_some_and(|at| !is_summary(at)) {
            let message = self.before.unwrap_or(MessageId(0));
            return vec![Violation { invariant: Invariant::Untouched, message }];
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
            } else if conversation.protected.iter().any(|(message, _)| *message == id) {
                add(Invariant::Pinned, id);
            } else if self.unanswered.contains(&id) {
                add(Invariant::Pairs, id);
            }
        }
        if new.len() > self.added {
            add(Invariant::Untouched, new[0].id);
        }
        if running(conversation) > self.running.max(1) {
            add(Invariant::RunningSummary, new.last().map_or(MessageId(0), |entry| entry.id));
        }
        violations
    }
}

/// The message before an index. A message before it is missing if another one stands in its place.
fn last_before(conversation: &Conversation, from: usize) -> Option<MessageId> {
    let last = from.checked_sub(1)?;
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

/// The number of running summaries.
fn running(conversation: &Conversation) -> usize {
    let is_running = |at: &&usize| conversation.entries[**at].message.origin == Origin::RunningSummary;
    conversation.summaries.iter().filter(is_running).count()
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
