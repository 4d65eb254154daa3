//! What a view that sends only the last messages leaves out, and a cache of its size.

use std::ops::Range;

use super::pinned::{PinnedMessages, slice_in};
use super::{Conversation, Entry, Mark, Origin, Role};

/// The sizes of what views from each message on leave out. A cache, so that a long session does not make each request
/// slower.
#[derive(Clone, Debug, Default)]
pub(super) struct LeftOut {
    /// The tokens before each message that would not be sent; empty until a view leaves out messages.
    sums: Vec<u64>,
    mark: Option<Mark>,
}

impl LeftOut {
    /// Follows the changes of the conversation. `is_needed` is whether a view leaves out messages now; from then on
    /// the cache is kept up to date.
    pub(super) fn update(&mut self, conversation: &Conversation, is_needed: bool) {
        if self.sums.is_empty() && !is_needed {
            return;
        }
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        self.sums.truncate(unchanged + 1);
        if self.sums.is_empty() {
            self.sums.push(0);
        }
        let mut sum = self.sums.last().copied().unwrap_or(0);
        for entry in conversation.entries.iter().skip(self.sums.len() - 1) {
            sum += if entry.is_always_retained() { 0 } else { entry.tokens };
            self.sums.push(sum);
        }
        self.mark = Some(conversation.mark());
    }

    /// The tokens of the messages that a view from a message on does not send.
    pub(super) fn tokens_before(&self, conversation: &Conversation, first: usize) -> u64 {
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        match self.sums.get(first) {
            Some(sum) if first <= unchanged => *sum,
            _ => {
                // The system prompt is always sent.
                let messages = &conversation.entries[conversation.prompt_len().min(first)..first];
                let hidden = messages.iter().filter(|entry| !entry.is_always_retained());
                hidden.map(|entry| entry.tokens).sum()
            }
        }
    }
}

impl Entry {
    /// Whether it is sent although it stands before the retained messages.
    pub fn is_always_retained(&self) -> bool {
        self.role == Role::System || self.is_summary()
    }

    /// Whether it is a summary of a rule. Its id is newer than those of the messages after it.
    pub fn is_summary(&self) -> bool {
        matches!(self.message.origin, Origin::Summary | Origin::RunningSummary)
    }
}

impl Conversation {
    /// Moves a boundary towards the start until no group spans it, no result is before it that no request has contained, and a user
    /// message follows it, or the system prompt stands before it. What a person has queued stands within a group, with which no
    /// request can begin.
    pub fn whole_requests_before(&self, boundary: usize) -> usize {
        let prompt = self.prompt_len();
        let is_arrival = |entry: &Entry| entry.role == Role::Tool && !entry.message.kept;
        let after_reply = self.newest_reply.map_or(prompt, |at| at + 1);
        let arrival = self.entries[after_reply..].iter().position(is_arrival).map(|at| after_reply + at);
        let arrival = arrival.filter(|at| *at < boundary);
        let boundary = arrival.unwrap_or(boundary);
        let mut first = self.whole_groups_before(boundary);
        while (first < boundary || arrival.is_some()) && first > prompt && self.entries[first].role != Role::User {
            first = self.whole_groups_before(first - 1);
        }
        first.max(prompt)
    }

    /// The messages in a range that are sent although they stand before the retained ones, in order.
    pub(super) fn retained_in(&self, range: Range<usize>, pinned: &PinnedMessages) -> Vec<usize> {
        let always = slice_in(&self.always_retained, &range);
        let mut all = pinned.within(self, range);
        all.extend(always);
        all.sort_unstable();
        all
    }

    /// Whether a view from a message on leaves out any message.
    pub fn hides_messages(&self, first: usize, pinned: &PinnedMessages) -> bool {
        self.hides_messages_in(self.prompt_len().min(first)..first, pinned)
    }

    /// Whether a view that retains none of a range leaves out any of its messages.
    pub fn hides_messages_in(&self, range: Range<usize>, pinned: &PinnedMessages) -> bool {
        let retained = slice_in(&self.always_retained, &range).len() + pinned.count_in(self, &range);
        retained < range.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Bytes, Edit, Message, MessageId};

    fn check(left_out: &mut LeftOut, conversation: &Conversation) {
        let fresh = LeftOut::default();
        let exact = |at| fresh.tokens_before(conversation, at);
        for at in 0..=conversation.entries().len() {
            assert_eq!(left_out.tokens_before(conversation, at), exact(at), "before the update");
        }
        left_out.update(conversation, true);
        for at in 0..=conversation.entries().len() {
            assert_eq!(left_out.sums[at], exact(at));
            assert_eq!(left_out.tokens_before(conversation, at), exact(at));
        }
    }

    #[test]
    fn cached_sizes_are_those_of_the_conversation_whatever_changes() {
        let (mut conversation, mut left_out) = (Conversation::default(), LeftOut::default());
        left_out.update(&conversation, false);
        assert!(left_out.sums.is_empty(), "no view leaves out messages");
        for number in 0..9u32 {
            let role = if number % 4 == 0 { Role::System } else { Role::User };
            conversation.push(Message::text(role, "x".repeat(number as usize)), &Bytes);
            check(&mut left_out, &conversation);
        }
        let removed = Edit::Remove { messages: vec![MessageId(2), MessageId(5)] };
        assert_eq!(conversation.apply(vec![removed], &Bytes).len(), 1);
        check(&mut left_out, &conversation);
        conversation.push(Message::text(Role::User, "after the removal"), &Bytes);
        check(&mut left_out, &conversation);
        check(&mut left_out.clone(), &conversation.clone());
        conversation.reset();
        check(&mut left_out, &conversation);
    }
}
