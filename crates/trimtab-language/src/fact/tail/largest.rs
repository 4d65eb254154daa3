//! The largest message of a context.

use trimtab_base::conversation::{Conversation, Mark};

/// The tokens of the largest message up to each message, without the system prompt.
#[derive(Debug, Default)]
pub(super) struct Largest {
    mark: Option<Mark>,
    by_message: Vec<u64>,
}

impl Largest {
    /// The tokens of the largest message of a context, after those that are new or have changed are looked at.
    pub(super) fn of(&mut self, conversation: &Conversation) -> u64 {
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        // While the system prompt arrives, it grows.
        self.by_message.truncate(if unchanged > conversation.prompt_len() { unchanged } else { 0 });
        for (at, entry) in conversation.entries().iter().enumerate().skip(self.by_message.len()) {
            let tokens = if at < conversation.prompt_len() { 0 } else { entry.tokens() };
            self.by_message.push(self.by_message.last().map_or(tokens, |largest| tokens.max(*largest)));
        }
        self.mark = Some(conversation.mark());
        self.by_message.last().copied().unwrap_or(0)
    }
}
