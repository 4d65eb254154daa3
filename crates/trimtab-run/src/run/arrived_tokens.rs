//! The size of a history as it arrived.

use trimtab_base::conversation::{Message, Role};

/// The counted tokens of a history as it arrived: without the edits and the views of rules, and since the recorded harness
/// emptied the context. A reply whose request has another size is recorded with that size, so a live session and the reader
/// of its recording count in the same way.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArrivedTokens {
    all: u64,
    /// Those of the system prompt.
    prompt: u64,
    /// Whether a message has arrived that does not belong to the system prompt.
    has_other: bool,
}

impl ArrivedTokens {
    /// Adds a message with this number of counted tokens.
    pub fn add(&mut self, message: &Message, tokens: u64) {
        self.has_other |= message.role != Role::System;
        self.all = self.all.saturating_add(tokens);
        if !self.has_other {
            self.prompt = self.all;
        }
    }

    /// Removes everything but the system prompt, as the recorded harness did when it compacted.
    pub const fn reset(&mut self) {
        (self.all, self.has_other) = (self.prompt, false);
    }

    /// The tokens.
    pub const fn get(&self) -> u64 {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_system_prompt_outlasts_a_reset() {
        let mut arrived = ArrivedTokens::default();
        let messages = [(Role::System, 10), (Role::User, 200), (Role::System, 3000)];
        for (role, tokens) in &messages {
            arrived.add(&Message::text(*role, ""), *tokens);
        }
        assert_eq!(arrived.get(), 3210);
        arrived.reset();
        assert_eq!(arrived.get(), 10);
        for (role, tokens) in &messages {
            arrived.add(&Message::text(*role, ""), *tokens);
        }
        assert_eq!(arrived.get(), 3220);
        arrived.reset();
        assert_eq!(arrived.get(), 20);
    }
}
