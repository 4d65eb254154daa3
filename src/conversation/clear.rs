//! Repeats in the kept conversation what the recorded harness did to its context.

use foldhash::{HashMap, HashMapExt};
use smol_str::SmolStr;

use super::message::{Body, Level, Part, Role};
use super::{Conversation, Counter, MessageId};

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

/// A result in the kept conversation that was cleared by the recorded harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearedResult {
    /// The id of the call that it answers.
    pub id: SmolStr,
    /// The message with the result.
    pub message: MessageId,
    /// The tokens saved by clearing it; 0 if a rule had masked it before.
    pub freed: i128,
}

impl Conversation {
    /// Replaces the results of these calls with placeholders, as the recorded harness did. Of several results with the same
    /// id, the newest one that is not cleared yet is replaced. A result masked by a rule stays as it is.
    pub fn clear_results(&mut self, ids: &[SmolStr], counter: &dyn Counter) -> Vec<ClearedResult> {
        let mut wanted: HashMap<&str, usize> = HashMap::new();
        for id in ids {
            *wanted.entry(id).or_default() += 1;
        }
        let (mut open, mut freed) = (ids.len(), Vec::new());
        for at in (0..self.entries.len()).rev() {
            if open == 0 {
                break;
            }
            let entry = &self.entries[at];
            let is_open = entry.role == Role::Tool && !self.cleared.contains(&entry.id);
            let result = entry.message.results().next().filter(|_| is_open);
            let Some(id) = result.map(|result| result.id.clone()) else { continue };
            let Some(left) = wanted.get_mut(id.as_str()).filter(|left| **left > 0) else { continue };
            *left -= 1;
            open -= 1;
            let message = entry.id;
            self.cleared.insert(message);
            freed.push(ClearedResult { id, message, freed: self.clear(at, counter) });
        }
        freed
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
        self.tokens = self.tokens.saturating_sub(before) + after;
        self.changes.note(at);
        i128::from(before) - i128::from(after)
    }

    /// Removes everything but the system prompt and the open turn. The open turn begins with the newest reply of the model
    /// if that has calls, otherwise after it.
    pub fn keep_open_turn(&mut self) {
        let newest = self.newest_reply;
        let calls = |at: usize| self.entries[at].message.calls().next().is_some();
        let from = newest.map_or(0, |at| if calls(at) { at } else { at + 1 });
        let prompt = self.prompt_len();
        self.entries.drain(prompt..from.max(prompt));
        self.first_other = self.entries.get(prompt).map(|entry| entry.id);
        let Self { entries, unanswered, .. } = self;
        unanswered.retain(|call| entries.iter().any(|entry| entry.group == call.group));
        self.changes.note_moved(prompt);
        self.recount();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::conversation::counter::Bytes;
    use crate::conversation::{Arguments, Message};

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
        conversation.entries().iter().map(super::super::Entry::tokens).sum()
    }

    #[test]
    fn a_cleared_result_is_masked_once_and_an_error_too() {
        let mut kept = conversation(3);
        let ids = ["c0".into(), "c1".into(), "nobody".into()];
        let freed = kept.clear_results(&ids, &Bytes);
        assert!(freed.len() == 2 && freed.iter().all(|cleared| cleared.freed > 0), "{freed:?}");
        assert!(kept.clear_results(&ids, &Bytes).is_empty());
        let levels: Vec<_> = kept.entries().iter().map(|entry| entry.message().parts[0].level).collect();
        assert_eq!([levels[3], levels[5], levels[7]], [Level::Masked, Level::Masked, Level::Whole]);
        assert_eq!(kept.tokens(), total(&kept));
        assert!(kept.take_violations().is_empty());
    }

    #[test]
    fn the_open_turn_is_the_newest_call_and_what_follows_it() {
        let mut kept = conversation(3);
        kept.keep_open_turn();
        let roles: Vec<_> = kept.entries().iter().map(super::super::Entry::role).collect();
        assert_eq!(roles, [Role::System, Role::Assistant, Role::Tool]);
        kept.push(Message::text(Role::Assistant, "done"), &Bytes);
        kept.push(Message::text(Role::User, "more"), &Bytes);
        kept.keep_open_turn();
        let roles: Vec<_> = kept.entries().iter().map(super::super::Entry::role).collect();
        assert_eq!(roles, [Role::System, Role::User]);
        assert_eq!((kept.tokens(), kept.interactions(), kept.results()), (total(&kept), 1, 0));
    }

    proptest! {
        #[test]
        fn clearing_in_any_order_counts_like_the_messages(order in prop::collection::vec(0usize..8, 0..12)) {
            let mut kept = conversation(6);
            for at in order {
                let before = i128::from(kept.tokens());
                let freed: i128 = kept.clear_results(&[format!("c{at}").into()], &Bytes).iter().map(|cleared| cleared.freed).sum();
                prop_assert_eq!(i128::from(kept.tokens()), before - freed);
                prop_assert_eq!(kept.tokens(), total(&kept));
            }
        }
    }
}
