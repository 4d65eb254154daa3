//! The messages that stay because they are pinned, without a list of all messages of persons, which may be many.

use std::ops::Range;

use super::{Conversation, MessageId};

/// Pinned messages of a conversation: those of persons from an index on, and others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedMessages {
    /// The index from which on all messages of persons are pinned.
    people_from: usize,
    /// The indices of the others, in order.
    others: Vec<usize>,
}

/// Pinned messages before an index, in a form that stays the same when later messages arrive. Equal forms have equal messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PinnedBefore {
    /// The message from which on all messages of persons are pinned, and the number of these messages.
    people: Option<(MessageId, usize)>,
    others: Vec<MessageId>,
}

impl PinnedBefore {
    /// The pinned messages besides those in `people`, in order.
    pub fn others(&self) -> &[MessageId] {
        &self.others
    }

    /// The same messages in a conversation that still has all of them, with later ones of persons if these are pinned.
    pub fn messages(&self, conversation: &Conversation) -> PinnedMessages {
        let mut pinned = PinnedMessages::of_people(self.people.and_then(|(first, _)| conversation.index(first)));
        pinned.add(conversation, self.others.iter().filter_map(|message| conversation.index(*message)));
        pinned
    }
}

impl PinnedMessages {
    /// No message.
    pub const NONE: Self = Self { people_from: usize::MAX, others: Vec::new() };

    /// The messages of persons from an index on.
    pub(super) fn of_people(from: Option<usize>) -> Self {
        Self { people_from: from.unwrap_or(usize::MAX), ..Self::NONE }
    }

    /// Pins more messages.
    pub fn add(&mut self, conversation: &Conversation, more: impl IntoIterator<Item = usize>) {
        let more = more.into_iter().filter(|at| !self.is_of_people(conversation, *at));
        self.others.extend(more.collect::<Vec<_>>());
        self.others.sort_unstable();
        self.others.dedup();
    }

    /// The index from which on all messages of persons are pinned; greater than any other if none are.
    pub const fn people_from(&self) -> usize {
        self.people_from
    }

    /// The indices of the others, in order.
    pub fn others(&self) -> &[usize] {
        &self.others
    }

    /// Only those of persons that are pinned with all newer ones.
    #[must_use]
    pub fn of_newest_people(&self) -> Self {
        Self { people_from: self.people_from, ..Self::NONE }
    }

    /// Whether the message at an index is pinned.
    pub fn contains(&self, conversation: &Conversation, at: usize) -> bool {
        self.is_of_people(conversation, at) || self.others.binary_search(&at).is_ok()
    }

    /// Whether the message at an index is one of those of persons that are pinned.
    fn is_of_people(&self, conversation: &Conversation, at: usize) -> bool {
        at >= self.people_from && conversation.entries[at].message.is_person()
    }

    /// The indices in a range, in order.
    pub fn within(&self, conversation: &Conversation, range: Range<usize>) -> Vec<usize> {
        let mut all = [self.people_in(conversation, &range), self.others_in(&range)].concat();
        all.sort_unstable();
        all
    }

    /// How many of them are in a range.
    pub(super) fn count_in(&self, conversation: &Conversation, range: &Range<usize>) -> usize {
        self.people_in(conversation, range).len() + self.others_in(range).len()
    }

    /// The tokens of those before an index.
    pub(super) fn tokens_before(&self, conversation: &Conversation, end: usize) -> u64 {
        let people = conversation
            .person_sums
            .before(end)
            .saturating_sub(conversation.person_sums.before(self.people_from.min(end)));
        let others = self.others_in(&(0..end)).iter().map(|at| conversation.entries[*at].tokens);
        people.saturating_add(others.sum())
    }

    /// Those before an index.
    pub fn before(&self, conversation: &Conversation, end: usize) -> PinnedBefore {
        let people = self.people_in(conversation, &(0..end));
        let last = conversation.person_messages.partition_point(|at| *at < end);
        let mut first = last - people.len();
        let mut others = self.others_in(&(0..end)).to_vec();
        // The newest messages of persons are all in one place, whatever has pinned them.
        while let Some(before) = first.checked_sub(1)
            && let Ok(place) = others.binary_search(&conversation.person_messages[before])
        {
            others.remove(place);
            first = before;
        }
        let id = |at: usize| conversation.entries[at].id;
        PinnedBefore {
            people: (first < last).then(|| (id(conversation.person_messages[first]), last - first)),
            others: others.into_iter().map(id).collect(),
        }
    }

    fn people_in<'a>(&self, conversation: &'a Conversation, range: &Range<usize>) -> &'a [usize] {
        slice_in(&conversation.person_messages, &(range.start.max(self.people_from)..range.end))
    }

    fn others_in(&self, range: &Range<usize>) -> &[usize] {
        slice_in(&self.others, range)
    }
}

/// The indices in a range among some in order.
pub(super) fn slice_in<'a>(indices: &'a [usize], range: &Range<usize>) -> &'a [usize] {
    let place = |index: usize| indices.partition_point(|at| *at < index);
    indices.get(place(range.start)..place(range.end)).unwrap_or_default()
}

impl Conversation {
    /// The index of the first message of a person that is a message or newer than it.
    pub fn first_person_from(&self, message: MessageId) -> Option<usize> {
        let first = self.person_messages.partition_point(|at| self.entries[*at].id < message);
        self.person_messages.get(first).copied()
    }

    /// The indices in a range of the messages that are neither of the system nor written by a person whose messages are pinned, in
    /// order.
    pub fn unpinned_by_people(&self, range: &Range<usize>, pinned: &PinnedMessages) -> Vec<usize> {
        let people = slice_in(&self.person_messages, &(range.start..range.end.min(pinned.people_from)));
        let others = slice_in(&self.other_messages, range);
        let mut all = [people, others].concat();
        if !people.is_empty() {
            all.sort_unstable();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Bytes, Edit, Message, Pin, Pins, Role};

    #[test]
    fn equal_messages_have_equal_forms_whatever_has_pinned_them() {
        let mut conversation = Conversation::default();
        for at in 0..4 {
            conversation.push(Message::text(Role::User, format!("question {at}")), &Bytes);
            conversation.push(Message::text(Role::Assistant, "answer"), &Bytes);
        }
        let form = |conversation: &Conversation, pins: &[Pin], end| {
            conversation.pinned_messages(Pins::of(pins).expect("pins that go together")).before(conversation, end)
        };
        let users = form(&conversation, &[Pin::Users], 2);
        assert_eq!(users, form(&conversation, &[Pin::FirstUser], 2));
        assert_ne!(users, form(&conversation, &[Pin::Nothing], 2));
        assert_eq!(form(&conversation, &[Pin::Nothing], 2), form(&conversation, &[Pin::NewestUsers(3)], 2));
        let users = form(&conversation, &[Pin::Users], 6);
        assert_ne!(users, form(&conversation, &[Pin::NewestUsers(3)], 6));
        conversation.push(Message::text(Role::User, "another question"), &Bytes);
        assert_eq!(users, form(&conversation, &[Pin::Users], 6), "a later message changes nothing");
        let removed = Edit::Remove { messages: vec![conversation.entries()[2].id()] };
        assert_eq!(conversation.apply(vec![removed], &Bytes).len(), 1);
        assert_ne!(users, form(&conversation, &[Pin::Users], 5), "a message is gone");
    }
}
