//! The tail of a conversation that an effect keeps.

use super::Conversation;

/// A number of messages, results or interactions at the end of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Messages of every role.
    Messages(usize),
    /// Tool results.
    Results(usize),
    /// Interactions, each of which begins with a message written by a person.
    Interactions(usize),
}

impl Keep {
    /// The index of the first kept message.
    pub fn boundary(self, conversation: &Conversation) -> usize {
        let entries = conversation.entries();
        match self {
            Self::Messages(0) | Self::Results(0) | Self::Interactions(0) => entries.len(),
            Self::Messages(count) => entries.len().saturating_sub(count),
            Self::Results(count) => {
                let results = &conversation.results;
                results.len().checked_sub(count).map_or(0, |at| results[at])
            }
            Self::Interactions(count) => {
                let starts = &conversation.person_messages;
                starts.len().checked_sub(count).map_or(0, |at| starts[at])
            }
        }
    }
}
