//! Which messages of a context that was begun anew are copies of earlier ones.

use foldhash::HashMap;
use trimtab_base::conversation::{Message, Role};

use super::Key;

/// The messages that a context had before it was begun anew, to tell copies of them from new messages. Copies have the order of the
/// originals.
pub(super) struct Copies {
    /// The positions of the messages with a key, in descending order.
    positions: HashMap<Key, Vec<usize>>,
    /// The position after the newest copy so far.
    next: usize,
    /// The position after the newest message that is not of the user.
    after_replies: usize,
}

impl Copies {
    pub(super) fn of(messages: &[Message], keys: &[Key]) -> Self {
        let mut positions: HashMap<Key, Vec<usize>> = HashMap::default();
        keys.iter().enumerate().rev().for_each(|(at, key)| positions.entry(*key).or_default().push(at));
        let after_replies = messages.iter().rposition(|message| message.role != Role::User).map_or(0, |last| last + 1);
        Self { positions, next: 0, after_replies }
    }

    /// Whether the next message of the new context is a copy. A message of the user at the end of a request, which may repeat an earlier
    /// one, is a copy only of one that no reply has followed.
    pub(super) fn has_next(&mut self, key: Key, is_at_end: bool) -> bool {
        let first = if is_at_end { self.next.max(self.after_replies) } else { self.next };
        let Some(positions) = self.positions.get_mut(&key) else { return false };
        while positions.last().is_some_and(|at| *at < first) {
            positions.pop();
        }
        let found = positions.pop();
        self.next = found.map_or(self.next, |at| at + 1);
        found.is_some()
    }
}
