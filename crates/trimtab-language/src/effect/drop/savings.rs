//! What `drop older` would save, for each number of groups from the start. It follows the conversation, so that a rule
//! that is due and idle at every call of a long session examines each message once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;
use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, Entry, Mark, MessageId, PinnedMessages, Pins, Role};

/// The choice of the messages that stay: the pins, and the tools whose newest result stays.
type Kind = (Pins, Arc<[SmolStr]>);

/// What could be removed from a conversation with each choice of messages that stay. A cache, which changes no result.
#[derive(Debug, Default)]
pub struct RemovalCache(Mutex<HashMap<Kind, Savings>>);

impl Clone for RemovalCache {
    /// A copy starts empty: it belongs to another session.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl RemovalCache {
    /// Returns the tokens saved by removing whole groups before a boundary, oldest first, until `wanted` tokens (at
    /// least one) are saved or no group is left. Returns `None` if parts are protected, because only a search knows
    /// what can be removed then.
    pub(super) fn saving(
        &self,
        conversation: &Conversation,
        boundary: usize,
        (kind, pinned): (Kind, &PinnedMessages),
        wanted: Option<u64>,
    ) -> Option<u64> {
        if conversation.has_protected_parts() {
            return None;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(all.entry(kind).or_default().saving(conversation, boundary, pinned, wanted))
    }
}

#[derive(Debug, Default)]
struct Savings {
    mark: Option<Mark>,
    kept: Kept,
    groups: Vec<Group>,
    /// The number of messages from the start that are in these groups or are never removed.
    grouped_prefix: usize,
}

/// A group that may be removed.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The index of its first message.
    first: usize,
    /// The index of the last message of this group and all before it.
    last: usize,
    /// The tokens of this group and all before it.
    total: u64,
    /// The newest user message, and the newest one of a person, with which one of them begins.
    user: Option<usize>,
    person: Option<usize>,
    /// What is saved without this group.
    before: Saved,
}

/// What the removals of some numbers of groups save.
#[derive(Clone, Copy, Debug, Default)]
struct Saved {
    /// The largest of the removals that are possible.
    last: Option<u64>,
    /// The most that any of them saves.
    most: u64,
}

/// The messages that are not removed. They can differ from request to request.
#[derive(Debug, Default)]
struct Kept {
    /// The message from which on all messages of persons are pinned.
    people_from: Option<MessageId>,
    /// Other pinned messages, in order. What else is removed does not depend on pinned ones.
    others: Vec<MessageId>,
    /// Messages with calls that have no result, in order.
    unanswered: Vec<MessageId>,
    /// The index of the first of those.
    first: Option<usize>,
}

impl Savings {
    fn saving(
        &mut self,
        conversation: &Conversation,
        boundary: usize,
        pinned: &PinnedMessages,
        wanted: Option<u64>,
    ) -> u64 {
        let end = conversation.whole_groups_before(boundary);
        let kept = Kept::of(conversation, pinned);
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        let differs = self.kept.first_difference(&kept, conversation);
        self.truncate(unchanged.min(end).min(differs.unwrap_or(end)));
        self.kept = kept;
        self.extend(conversation, end);
        let rest = || (end..conversation.entries().len()).find(|at| conversation.entries()[*at].role() != Role::System);
        let first_kept = self.kept.first.filter(|first| *first < end).or_else(rest);
        let all = self.without(conversation, first_kept.unwrap_or(conversation.entries().len()));
        let reached = wanted.and_then(|wanted| {
            let at = self.groups.partition_point(|group| group.before.most < wanted);
            self.groups.get(at)?.before.last
        });
        self.mark = Some(conversation.mark());
        reached.or(all.last).unwrap_or(0)
    }

    /// Forgets the messages from an index on.
    fn truncate(&mut self, length: usize) {
        self.grouped_prefix = self.grouped_prefix.min(length);
        while let Some(group) = self.groups.pop_if(|group| group.last >= length || group.first >= length) {
            self.grouped_prefix = self.grouped_prefix.min(group.first);
        }
    }

    /// Adds the messages up to an index, which no group spans.
    fn extend(&mut self, conversation: &Conversation, end: usize) {
        let entries = conversation.entries();
        // A result may have come late, for a call whose group is known without it.
        let first = (self.grouped_prefix..end).filter_map(|at| conversation.group_start(at)).min();
        if let Some(first) = first.filter(|first| *first < self.grouped_prefix) {
            self.truncate(first);
            return self.extend(conversation, end);
        }
        let mut members: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let start = self.grouped_prefix.max(conversation.prompt_len());
        for (at, entry) in entries.iter().enumerate().take(end).skip(start) {
            if entry.role() != Role::System && !self.kept.is_unanswered(conversation, at) {
                members.entry(entry.group()).or_default().push(at);
            }
        }
        let mut new: Vec<Vec<usize>> = members.into_values().collect();
        new.sort_unstable();
        for members in new {
            let first = members[0];
            let before = self.without(conversation, self.kept.first.map_or(first, |kept| kept.min(first)));
            let previous = self.groups.last().copied();
            let begins = entries[first].role() == Role::User && self.kept.first.is_none_or(|kept| first < kept);
            let user = begins.then_some(first).or(previous.and_then(|group| group.user));
            let is_person = begins && entries[first].message().is_person();
            let person = is_person.then_some(first).or(previous.and_then(|group| group.person));
            let tokens = members.iter().map(|at| self.kept.saved(conversation, *at));
            let total = previous.map_or(0, |group| group.total) + tokens.sum::<u64>();
            let last = members.last().copied().max(previous.map(|group| group.last)).unwrap_or(first);
            self.groups.push(Group { first, last, total, user, person, before });
        }
        self.grouped_prefix = self.grouped_prefix.max(end);
    }

    /// What is saved by the groups so far, the removal of all of them included, after which the conversation would begin
    /// with the message at an index.
    fn without(&self, conversation: &Conversation, next: usize) -> Saved {
        let Some(group) = self.groups.last() else { return Saved::default() };
        let begins = conversation.entries().get(next).is_some_and(|entry| entry.role() == Role::User);
        let spared =
            if begins { Some(0) } else { group.person.or(group.user).map(|at| self.kept.saved(conversation, at)) };
        match spared {
            Some(spared) => {
                let saved = group.total - spared;
                Saved { last: Some(saved), most: group.before.most.max(saved) }
            }
            None => group.before,
        }
    }
}

impl Kept {
    fn of(conversation: &Conversation, pinned: &PinnedMessages) -> Self {
        let id = |at: usize| conversation.entries()[at].id();
        Self {
            people_from: conversation.entries().get(pinned.people_from()).map(Entry::id),
            others: pinned.others().iter().copied().map(id).collect(),
            unanswered: conversation.unanswered().map(id).collect(),
            first: conversation.unanswered().next(),
        }
    }

    /// The index of the first message that only one of them has.
    fn first_difference(&self, other: &Self, conversation: &Conversation) -> Option<usize> {
        let only = |one: &[MessageId], other: &[MessageId]| {
            one.iter().copied().filter(|id| other.binary_search(id).is_err()).collect::<Vec<_>>()
        };
        let pairs = [(&self.others, &other.others), (&self.unanswered, &other.unanswered)];
        let lists = pairs.into_iter().flat_map(|(a, b)| only(a, b).into_iter().chain(only(b, a)));
        let others = lists.filter_map(|message| conversation.index(message));
        let people = (self.people_from != other.people_from).then(|| {
            let first = self.people_from.into_iter().chain(other.people_from).min();
            first.and_then(|first| conversation.first_person_from(first))
        });
        others.chain(people.flatten()).min()
    }

    /// Whether the message at an index belongs to a call without a result.
    fn is_unanswered(&self, conversation: &Conversation, at: usize) -> bool {
        let start = conversation.group_start(at).map(|start| conversation.entries()[start].id());
        start.is_some_and(|start| self.unanswered.binary_search(&start).is_ok())
    }

    /// The tokens that the removal of the message at an index saves.
    fn saved(&self, conversation: &Conversation, at: usize) -> u64 {
        let entry = &conversation.entries()[at];
        let is_newer = self.people_from.is_some_and(|first| entry.id() >= first);
        let is_pinned = is_newer && entry.message().is_person() || self.others.binary_search(&entry.id()).is_ok();
        if is_pinned { 0 } else { entry.tokens() }
    }
}

#[cfg(test)]
mod tests;
