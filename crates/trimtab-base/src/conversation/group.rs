//! Boundaries between groups of messages.

use super::Conversation;

impl Conversation {
    /// Moves a boundary towards the start until no group spans it.
    pub fn whole_groups_before(&self, boundary: usize) -> usize {
        let mut boundary = boundary.min(self.entries.len());
        loop {
            let is_between = (1..self.entries.len()).contains(&boundary)
                && self.entries[boundary - 1].group == self.entries[boundary].group;
            let adjacent = if is_between { self.group_start(boundary) } else { None };
            let scattered = self.scattered.range(..boundary).find(|(_, last)| **last >= boundary);
            match adjacent.into_iter().chain(scattered.map(|(first, _)| *first)).min() {
                Some(first) if first < boundary => boundary = first,
                _ => return boundary,
            }
        }
    }

    /// Moves a boundary towards the end until no group spans it.
    pub fn whole_groups_after(&self, boundary: usize) -> usize {
        let mut boundary = boundary.min(self.entries.len());
        while let Some(before) = boundary.checked_sub(1) {
            let group = self.entries[before].group;
            let adjacent = self.entries[boundary..].iter().take_while(|entry| entry.group == group).count();
            let scattered = self.scattered.range(..boundary).map(|(_, last)| *last).filter(|last| *last >= boundary);
            match scattered.max() {
                Some(last) => boundary = last + 1,
                None if adjacent > 0 => boundary += adjacent,
                None => break,
            }
        }
        boundary
    }

    /// The indices of the messages of the group of the message at an index, in order.
    pub fn group_members(&self, at: usize) -> Vec<usize> {
        let group = self.entries[at].group;
        let first = self.group_start(at).unwrap_or(at);
        let end = self.whole_groups_after(first + 1).max(at + 1);
        (first..end).filter(|at| self.entries[*at].group == group).collect()
    }
}
