//! Zones: how much of the tail an effect keeps.

use super::Conversation;
use super::message::Role;

/// A number of messages, results or interactions at the end of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Messages of every role.
    Messages(usize),
    /// Tool results.
    Results(usize),
    /// Interactions, each opened by a person's message.
    Interactions(usize),
}

impl Keep {
    /// The index of the first kept message; everything before it lies outside.
    pub fn boundary(self, conversation: &Conversation) -> usize {
        let entries = conversation.entries();
        let nth = |count: usize, counts: &dyn Fn(usize) -> bool| {
            let from_tail = (0..entries.len()).rev().filter(|&at| counts(at));
            match count {
                0 => entries.len(),
                count => from_tail.take(count).collect::<Vec<_>>().get(count - 1).copied().unwrap_or(0),
            }
        };
        match self {
            Self::Messages(count) => entries.len().saturating_sub(count),
            Self::Results(count) => nth(count, &|at| entries[at].role() == Role::Tool),
            Self::Interactions(count) => nth(count, &|at| entries[at].message().is_person()),
        }
    }
}
