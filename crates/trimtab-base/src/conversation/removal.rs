//! Removes whole groups of messages.

use foldhash::{HashMap, HashSet};

use super::edit::{Change, MessageId, Receipt};
use super::message::Role;
use super::{Conversation, Entry, GroupId, PinnedMessages};

impl Conversation {
    /// The indices in a range that may be removed. Groups are removed as a whole. System messages stay, and so do groups with
    /// a pinned message, a protected part, or a call whose result may still arrive.
    pub fn removable(&self, range: std::ops::RangeInclusive<usize>, pinned: &PinnedMessages) -> Vec<usize> {
        let start = (*range.start()).max(self.prompt_len());
        let end = self.whole_groups_before(*range.end() + 1);
        let with_protected_part = self.protected.iter().filter_map(|(message, _)| self.index(*message));
        let kept_messages = pinned.others().iter().copied().chain(with_protected_part);
        let kept: HashSet<GroupId> = kept_messages.map(|at| self.entries[at].group).collect();
        let is_kept = |group: GroupId| kept.contains(&group) || self.unanswered.has_any(group);
        // No group spans the end of the range.
        let is_whole = |at: usize| {
            let starts_before_range =
                || self.entries[..start].iter().any(|entry| entry.group == self.entries[at].group);
            self.group_start(at).map_or_else(
                || !starts_before_range(),
                |first| first >= start && (first == at || !pinned.contains(self, first)),
            )
        };
        let mut all = self.unpinned_by_people(&(start..end), pinned);
        all.retain(|&at| !is_kept(self.entries[at].group) && is_whole(at));
        all
    }

    pub(super) fn remove(&mut self, messages: &[MessageId]) -> Option<Receipt> {
        let removed = self.whole_groups(messages)?;
        let first = *removed.first()?;
        let gone: HashSet<MessageId> = messages.iter().copied().collect();
        if !self.begins_with_user_without(|entry| gone.contains(&entry.id)) {
            return None;
        }
        let message = self.entries[first].id;
        let before = self.take_out(&removed);
        self.changes.record_move(first);
        self.recount(first, self.tokens.saturating_sub(before));
        Some(Receipt { message, at: first, change: Change::Removed(removed.len()), before, after: 0 })
    }

    /// Takes out the messages at these indices, which are in order, without counting again. Returns their tokens.
    pub(super) fn take_out(&mut self, removed: &[usize]) -> u64 {
        let Some(&first) = removed.first() else { return 0 };
        // Without the newest reply, the calls of an older one do not become open again.
        self.calls_abandoned |= self.newest_reply.is_some_and(|at| removed.binary_search(&at).is_ok());
        let (mut at, mut next, mut tokens, mut gone) = (first, removed.iter().peekable(), 0, Vec::new());
        let mut tail = self.entries.split_off(first);
        tail.retain(|entry| {
            let stays = next.next_if_eq(&&at).is_none();
            at += 1;
            if !stays {
                tokens += entry.tokens;
                gone.push(entry.id);
            }
            stays
        });
        self.entries.append(&mut tail);
        self.removed.append(&mut gone);
        tokens
    }

    /// Whether the conversation would begin with a user message without some of its messages, or with the same message as
    /// now. Providers reject a request without messages.
    fn begins_with_user_without(&self, is_removed: impl Fn(&Entry) -> bool) -> bool {
        let after_prompt = &self.entries[self.prompt_len()..];
        let mut messages = after_prompt.iter().filter(|entry| entry.role != Role::System).peekable();
        let first = messages.peek().map(|entry| entry.id);
        let next = messages.find(|entry| !is_removed(entry));
        next.is_some_and(|entry| entry.role == Role::User || Some(entry.id) == first)
    }

    /// Returns the sorted indices of `messages`, or `None` if there are none, if one of them is missing, a system message,
    /// protected or in a group with a call without a result, or if they are only a part of a group.
    pub(super) fn whole_groups(&self, messages: &[MessageId]) -> Option<Vec<usize>> {
        let wanted: HashSet<MessageId> = messages.iter().copied().collect();
        let mut removed: Vec<usize> = wanted.iter().filter_map(|message| self.index(*message)).collect();
        removed.sort_unstable();
        let is_protected = |entry: &Entry| self.protected.iter().any(|(message, _)| *message == entry.id);
        let is_answered = |entry: &Entry| !self.unanswered.has_any(entry.group);
        let may_go = |entry: &Entry| entry.role != Role::System && is_answered(entry) && !is_protected(entry);
        let may_all_go = |at: usize| wanted.contains(&self.entries[at].id) && may_go(&self.entries[at]);
        let groups: HashMap<GroupId, usize> = removed.iter().rev().map(|&at| (self.entries[at].group, at)).collect();
        let is_whole = |(group, at): (&GroupId, &usize)| match self.group_start(*at) {
            Some(_) => self.group_members(*at).into_iter().all(may_all_go),
            None => (0..self.entries.len()).filter(|at| self.entries[*at].group == *group).all(may_all_go),
        };
        (!removed.is_empty() && removed.len() == wanted.len() && groups.iter().all(is_whole)).then_some(removed)
    }
}
