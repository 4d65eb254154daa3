//! Repeats in the conversation under the policy what the recorded harness did to its context.

use foldhash::HashSet;

use super::message::{Body, Level, Part};
use super::{Conversation, Counter, Entry, MessageId, index_of};

/// The text that replaces a result cleared by the recorded harness.
const PLACEHOLDER: &str = "[Old tool result content cleared]";

impl Body {
    /// The body after the recorded harness has cleared it. A result becomes a placeholder.
    #[must_use]
    pub fn cleared(&self) -> Self {
        match self {
            Self::ToolResult(result) => {
                let mut result = result.clone();
                result.text = PLACEHOLDER.into();
                result.attachments.clear();
                Self::ToolResult(result)
            }
            other => other.clone(),
        }
    }
}

/// The messages whose results the recorded harness has cleared.
#[derive(Clone, Debug, Default)]
pub(super) struct Clearing(HashSet<MessageId>);

impl Clearing {
    /// Whether the recorded harness has cleared the result of a message.
    pub(super) fn has_cleared(&self, message: MessageId) -> bool {
        self.0.contains(&message)
    }
}

impl Conversation {
    /// Replaces the result of a message with a placeholder, as the recorded harness did, and returns the tokens saved: 0 if a
    /// rule had masked it before. Returns `None` if the message is no longer here.
    pub fn clear_result(&mut self, message: MessageId, counter: &dyn Counter) -> Option<i128> {
        let at = index_of(&self.entries, &self.breaks, message)?;
        self.clearing.0.insert(message);
        Some(self.clear(at, counter))
    }

    /// Replaces the result of a message with a placeholder and returns the tokens saved.
    fn clear(&mut self, at: usize, counter: &dyn Counter) -> i128 {
        let entry = &mut self.entries[at];
        let before = entry.tokens;
        for part in 0..entry.message.parts.len() {
            let Part { body, level } = &entry.message.parts[part];
            if !level.is_replaced() {
                let (cleared, old) = (body.cleared(), counter.body(body));
                let new = counter.body(&cleared);
                entry.set_part(part, Some(cleared), Level::Masked, new);
                entry.tokens = entry.tokens.saturating_sub(old) + new;
            }
        }
        let after = entry.tokens;
        self.replace_size(at, before);
        self.tokens = self.tokens.saturating_sub(before) + after;
        self.changes.record_edit(at);
        i128::from(before) - i128::from(after)
    }

    /// Removes everything but the system prompt and what the agent is doing: the newest reply of the model with what follows it
    /// if that has calls, otherwise only what follows it.
    pub fn keep_pending_calls(&mut self) {
        let newest = self.newest_reply;
        let calls = |at: usize| self.entries[at].message.calls().next().is_some();
        let from = newest.map_or(0, |at| if calls(at) { at } else { at + 1 });
        let prompt = self.prompt_len();
        let removed = self.drain(prompt..from.max(prompt));
        self.has_other = self.entries.len() > prompt;
        let groups = self.entries.iter().map(Entry::group).collect();
        self.unanswered.keep_groups(&groups);
        self.changes.record_move(prompt);
        self.recount(prompt, self.tokens.saturating_sub(removed));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conversation::counter::Bytes;
    use crate::conversation::{Arguments, Message, Role};

    fn conversation(results: usize) -> Conversation {
        let mut conversation = Conversation::with_invariant_checks();
        conversation.push(Message::text(Role::System, "prompt"), &Bytes);
        conversation.push(Message::text(Role::User, "go"), &Bytes);
        for at in 0..results {
            let call = Part::call(format!("c{at}"), "bash", Arguments::Text("{}".into()));
            conversation.push(Message::new(Role::Assistant, vec![call]), &Bytes);
            let text = format!("{at} ").repeat(200);
            conversation.push(Message::new(Role::Tool, vec![Part::result(format!("c{at}"), text, at == 1)]), &Bytes);
        }
        conversation
    }

    fn total(conversation: &Conversation) -> u64 {
        conversation.entries().iter().map(Entry::tokens).sum()
    }

    /// The message with the result of a call.
    fn result(kept: &Conversation, call: usize) -> MessageId {
        kept.entries()[3 + 2 * call].id()
    }

    #[test]
    fn a_cleared_result_is_masked_once_and_an_error_too() {
        let mut kept = conversation(3);
        for call in [0, 1] {
            let message = result(&kept, call);
            assert!(kept.clear_result(message, &Bytes).is_some_and(|freed| freed > 0));
            assert_eq!(kept.clear_result(message, &Bytes), Some(0));
        }
        let levels: Vec<_> = kept.entries().iter().map(|entry| entry.message().parts[0].level).collect();
        assert_eq!([levels[3], levels[5], levels[7]], [Level::Masked, Level::Masked, Level::Whole]);
        assert_eq!(kept.tokens(), total(&kept));
        assert!(kept.take_violations().is_empty());
        let gone = result(&kept, 2);
        kept.reset();
        assert_eq!(kept.clear_result(gone, &Bytes), None);
    }

    #[test]
    fn the_open_turn_is_the_newest_call_and_what_follows_it() {
        let mut kept = conversation(3);
        kept.keep_pending_calls();
        let roles: Vec<_> = kept.entries().iter().map(Entry::role).collect();
        assert_eq!(roles, [Role::System, Role::Assistant, Role::Tool]);
        kept.push(Message::text(Role::Assistant, "done"), &Bytes);
        kept.push(Message::text(Role::User, "more"), &Bytes);
        kept.keep_pending_calls();
        let roles: Vec<_> = kept.entries().iter().map(Entry::role).collect();
        assert_eq!(roles, [Role::System, Role::User]);
        assert_eq!((kept.tokens(), kept.interactions(), kept.results()), (total(&kept), 1, 0));
    }

    proptest! {
        #[test]
        fn clearing_in_any_order_counts_like_the_messages(order in prop::collection::vec(0usize..6, 0..12)) {
            let mut kept = conversation(6);
            for at in order {
                let before = i128::from(kept.tokens());
                let message = result(&kept, at);
                let freed = kept.clear_result(message, &Bytes);
                prop_assert_eq!(freed.map(|freed| i128::from(kept.tokens()) + freed), Some(before));
                prop_assert_eq!(kept.tokens(), total(&kept));
            }
        }
    }
}
