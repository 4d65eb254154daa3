//! What `drop older` would save, for each number of groups from the start. It follows the conversation, so that a rule that
//! is due and idle at every call of a long session looks at each message once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::conversation::{Conversation, Mark, Role};

/// What could be removed of a conversation, with and without its first user message. This memory saves time and changes
/// nothing.
#[derive(Debug, Default)]
pub struct RemovalCache(Mutex<[Savings; 2]>);

impl Clone for RemovalCache {
    /// A copy starts empty: it belongs to another session.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl RemovalCache {
    /// The tokens that are saved by removing whole groups before a boundary, oldest first, until at least as many as are
    /// wanted, at least one, are saved; all of them if that is never so. None if only a search can tell: when parts are pinned.
    pub(super) fn saving(
        &self,
        conversation: &Conversation,
        boundary: usize,
        pins_first_user: bool,
        wanted: Option<u64>,
    ) -> Option<u64> {
        if conversation.has_pins() {
            return None;
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Some(all[usize::from(pins_first_user)].saving(conversation, boundary, pins_first_user, wanted))
    }
}

#[derive(Debug, Default)]
struct Savings {
    mark: Option<Mark>,
    groups: Vec<Group>,
    /// The number of messages from the start that are in these groups or are never removed.
    settled: usize,
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

/// The messages that are not removed.
struct Kept {
    /// The first user message, if it is pinned.
    pinned: Option<usize>,
    /// The first message of the open group.
    open: Option<usize>,
}

impl Savings {
    fn saving(&mut self, conversation: &Conversation, boundary: usize, pins_first: bool, wanted: Option<u64>) -> u64 {
        let end = conversation.whole_groups_before(boundary);
        self.truncate(self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark)).min(end));
        let pinned = conversation.first_person().filter(|_| pins_first);
        let kept = Kept { pinned, open: conversation.open_reply().filter(|open| *open < end) };
        if let Some(open) = kept.open {
            self.extend(conversation, conversation.whole_groups_before(open), &kept);
        } else {
            self.extend(conversation, end, &kept);
        }
        let (groups, settled) = (self.groups.len(), self.settled);
        // The open group may be removed later, and then what follows it counts in another way.
        let is_known_again = self.extend(conversation, end, &kept);
        let rest = || (end..conversation.entries().len()).find(|at| conversation.entries()[*at].role() != Role::System);
        let first_kept =
            kept.first().filter(|first| *first < end).or_else(rest).unwrap_or(conversation.entries().len());
        let all = self.without(conversation, first_kept);
        let reached = wanted.and_then(|wanted| {
            let at = self.groups.partition_point(|group| group.before.most < wanted);
            self.groups.get(at)?.before.last
        });
        self.groups.truncate(if is_known_again { groups } else { 0 });
        self.settled = if is_known_again { settled } else { 0 };
        self.mark = Some(conversation.mark());
        reached.or(all.last).unwrap_or(0)
    }

    /// Forgets the messages from an index on.
    fn truncate(&mut self, length: usize) {
        self.settled = self.settled.min(length);
        while let Some(group) = self.groups.pop_if(|group| group.last >= length || group.first >= length) {
            self.settled = self.settled.min(group.first);
        }
    }

    /// Takes in the messages up to an index, which no group spans. Returns whether all that was known stays so: a result may
    /// have come late, for a call whose group is known without it.
    fn extend(&mut self, conversation: &Conversation, end: usize, kept: &Kept) -> bool {
        let entries = conversation.entries();
        let first = (self.settled..end).filter_map(|at| conversation.group_start(at)).min();
        if let Some(first) = first.filter(|first| *first < self.settled) {
            self.truncate(first);
            self.extend(conversation, end, kept);
            return false;
        }
        let is_kept = |at: usize| kept.groups().any(|kept| entries[kept].group() == entries[at].group());
        let mut members: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let start = self.settled.max(conversation.prompt_len());
        for (at, entry) in entries.iter().enumerate().take(end).skip(start) {
            if entry.role() != Role::System && !is_kept(at) {
                members.entry(entry.group()).or_default().push(at);
            }
        }
        let mut new: Vec<Vec<usize>> = members.into_values().collect();
        new.sort_unstable();
        for members in new {
            let first = members[0];
            let before = self.without(conversation, kept.first().map_or(first, |kept| kept.min(first)));
            let known = self.groups.last().copied();
            let begins = entries[first].role() == Role::User && kept.first().is_none_or(|kept| first < kept);
            let user = begins.then_some(first).or(known.and_then(|group| group.user));
            let is_person = begins && entries[first].message().is_person();
            let person = is_person.then_some(first).or(known.and_then(|group| group.person));
            let total =
                known.map_or(0, |group| group.total) + members.iter().map(|at| entries[*at].tokens()).sum::<u64>();
            let last = members.last().copied().max(known.map(|group| group.last)).unwrap_or(first);
            self.groups.push(Group { first, last, total, user, person, before });
        }
        self.settled = self.settled.max(end);
        true
    }

    /// What is saved by the groups so far, the removal of all of them included, after which the conversation would begin
    /// with the message at an index.
    fn without(&self, conversation: &Conversation, next: usize) -> Saved {
        let Some(group) = self.groups.last() else { return Saved::default() };
        let begins = conversation.entries().get(next).is_some_and(|entry| entry.role() == Role::User);
        let spared =
            if begins { Some(0) } else { group.person.or(group.user).map(|at| conversation.entries()[at].tokens()) };
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
    /// The first message that stays in any case.
    fn first(&self) -> Option<usize> {
        self.pinned.into_iter().chain(self.open).min()
    }

    fn groups(&self) -> impl Iterator<Item = usize> {
        self.pinned.into_iter().chain(self.open)
    }
}

#[cfg(test)]
mod tests;
