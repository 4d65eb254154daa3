//! The counts of a conversation: sizes, and the positions of messages of each kind.

use super::{Conversation, Entry, Role};

impl Conversation {
    /// Counts again from an index on, after which messages have been removed or inserted. `tokens` are those of all
    /// messages now.
    pub(super) fn recount(&mut self, from: usize, tokens: u64) {
        // A group that spans the index is counted as a whole.
        let mut from = from.min(self.entries.len());
        while let Some((first, _)) = self.scattered.range(..from).find(|(_, last)| **last >= from) {
            from = *first;
        }
        let after: u64 = self.entries[from..].iter().map(Entry::tokens).sum();
        self.tokens = tokens.saturating_sub(after);
        let lists = [
            &mut self.results,
            &mut self.person_messages,
            &mut self.other_messages,
            &mut self.summaries,
            &mut self.always_retained,
        ];
        for list in lists {
            list.truncate(list.partition_point(|at| *at < from));
        }
        self.sums.truncate(from);
        self.person_sums.truncate(from);
        self.scattered.split_off(&from);
        self.breaks.truncate(self.breaks.partition_point(|at| at + 1 < from));
        let first_pair = from.saturating_sub(1);
        let pairs = self.entries[first_pair..].windows(2).enumerate();
        self.breaks.extend(pairs.filter(|(_, two)| two[0].id > two[1].id).map(|(at, _)| first_pair + at));
        let had_kept_reply = self.newest_kept_reply.is_some();
        self.newest_reply = self.newest_reply.filter(|at| *at < from);
        self.newest_kept_reply = self.newest_kept_reply.filter(|at| *at < from);
        for at in from..self.entries.len() {
            self.count(at);
        }
        self.newest_reply = self.newest_reply.or_else(|| self.entries.iter().rposition(Entry::is_model_reply));
        if had_kept_reply && self.newest_kept_reply.is_none() {
            self.newest_kept_reply = self.entries.iter().rposition(Entry::is_kept_reply);
        }
    }

    /// Adds a message to the counts.
    pub(super) fn count(&mut self, at: usize) {
        let Entry { role, tokens, message, .. } = &self.entries[at];
        let is_person = message.is_person();
        self.tokens += tokens;
        self.sums.push(*tokens);
        self.person_sums.push(if is_person { *tokens } else { 0 });
        if *role == Role::Tool {
            self.results.push(at);
        }
        if is_person {
            self.person_messages.push(at);
        } else if *role != Role::System {
            self.other_messages.push(at);
        }
        if self.entries[at].is_summary() {
            self.summaries.push(at);
        }
        if self.entries[at].is_always_retained() {
            self.always_retained.push(at);
        }
        if self.entries[at].is_model_reply() {
            self.newest_reply = Some(at);
        }
        if self.entries[at].is_kept_reply() {
            self.newest_kept_reply = Some(at);
        }
        self.count_group(at);
    }

    /// Records that the size of the message at an index has changed from `old` tokens.
    pub(super) fn replace_size(&mut self, at: usize, old: u64) {
        let Entry { tokens, message, .. } = &self.entries[at];
        self.sums.replace(at, old, *tokens);
        if message.is_person() {
            self.person_sums.replace(at, old, *tokens);
        }
    }

    /// Records that the summary at an index was replaced with another one.
    pub(super) fn count_new_summary(&mut self, at: usize, old: u64) {
        self.replace_size(at, old);
        // The new summary has a newer id than all messages.
        let mut set = |place: usize, is_break: bool| match (self.breaks.binary_search(&place), is_break) {
            (Ok(index), false) => drop(self.breaks.remove(index)),
            (Err(next), true) => self.breaks.insert(next, place),
            _ => {}
        };
        if let Some(before) = at.checked_sub(1) {
            set(before, false);
        }
        set(at, at + 1 < self.entries.len());
    }

    /// Records whether other messages are between the message at an index and the rest of its group.
    fn count_group(&mut self, at: usize) {
        let group = self.entries[at].group;
        let is_next = at.checked_sub(1).is_some_and(|before| self.entries[before].group == group);
        if group.0 == self.entries[at].id.0 || is_next && self.scattered.is_empty() {
            return;
        }
        if let Some(first) = self.group_start(at)
            && (!is_next || self.scattered.contains_key(&first))
        {
            self.scattered.insert(first, at);
        }
    }
}
