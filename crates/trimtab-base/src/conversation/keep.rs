//! The tail of a conversation that an effect keeps.

use super::Conversation;

/// A number of messages, interactions or tokens at the end of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Messages of every role.
    Messages(usize),
    /// Interactions, each of which begins with a message written by a person.
    Interactions(usize),
    /// As many whole groups as together have no more tokens.
    Tokens(u64),
}

impl Keep {
    /// The index of the first kept message.
    pub fn boundary(self, conversation: &Conversation) -> usize {
        let entries = conversation.entries();
        match self {
            Self::Messages(0) | Self::Interactions(0) => entries.len(),
            Self::Messages(count) => entries.len().saturating_sub(count),
            Self::Interactions(count) => {
                let starts = &conversation.person_messages;
                starts.len().checked_sub(count).map_or(0, |at| starts[at])
            }
            Self::Tokens(most) => {
                let first = conversation.whole_groups_after(conversation.sums.first_within(most));
                // The system prompt stays in any case.
                if first <= conversation.prompt_len() { 0 } else { first }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Arguments, Bytes, Counter, Message, Part, Role};

    #[test]
    fn a_tail_in_tokens_is_the_largest_of_whole_groups_that_fits() {
        let mut conversation = Conversation::default();
        conversation.push(Message::text(Role::System, "a prompt"), &Bytes);
        conversation.push(Message::text(Role::User, "a question"), &Bytes);
        let calls = ["a", "b"].map(|id| Part::call(id, "ls", Arguments::Text("{}".into())));
        conversation.push(Message::new(Role::Assistant, calls.to_vec()), &Bytes);
        for id in ["a", "b"] {
            conversation.push(Message::new(Role::Tool, vec![Part::result(id, "a file", false)]), &Bytes);
        }
        conversation.push(Message::text(Role::Assistant, "an answer"), &Bytes);
        let tokens: Vec<u64> = conversation.entries().iter().map(|entry| Bytes.message(entry.message())).collect();
        let first = |most| Keep::Tokens(most).boundary(&conversation);
        let from = |at: usize| tokens[at..].iter().sum::<u64>();
        assert_eq!([first(0), first(from(5) - 1), first(from(5))], [6, 6, 5]);
        assert_eq!([first(from(3)), first(from(2) - 1), first(from(2))], [5, 5, 2], "the calls stay together");
        assert_eq!([first(from(1)), first(u64::MAX)], [0, 0]);
    }
}
