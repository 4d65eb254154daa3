//! Repeats in the conversation under the policy what the recorded harness did to its context.

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;

use super::message::{Body, Level, Message, Part, Role};
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

/// A result in the conversation under the policy that was cleared by the recorded harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearedResult {
    /// The id of the call that it answers.
    pub id: SmolStr,
    /// The message with the result.
    pub message: MessageId,
    /// The tokens saved by clearing it; 0 if a rule had masked it before.
    pub freed: i128,
}

/// The messages whose results the recorded harness has cleared, and those whose results it can clear.
#[derive(Clone, Debug, Default)]
pub(super) struct Clearing {
    cleared: HashSet<MessageId>,
    /// Set at the first clearing.
    open: Option<OpenResults>,
}

/// The messages with results by the ids of their calls, the newest last.
#[derive(Clone, Debug, Default)]
struct OpenResults(HashMap<SmolStr, Vec<MessageId>>);

impl Clearing {
    /// Whether the recorded harness has cleared the result of a message.
    pub(super) fn has_cleared(&self, message: MessageId) -> bool {
        self.cleared.contains(&message)
    }

    /// Records a message that has become part of the conversation.
    pub(super) fn arrive(&mut self, id: MessageId, message: &Message) {
        if let Some(open) = &mut self.open {
            open.add(id, message);
        }
    }
}

impl OpenResults {
    fn add(&mut self, id: MessageId, message: &Message) {
        if let Some(result) = message.results().next().filter(|_| message.role == Role::Tool) {
            self.0.entry(result.id.clone()).or_default().push(id);
        }
    }
}

impl Conversation {
    /// Replaces the results of these calls with placeholders, as the recorded harness did. Of several results with the same
    /// id, the newest one that is not cleared yet is replaced. A result masked by a rule stays as it is.
    pub fn clear_results(&mut self, ids: &[SmolStr], counter: &dyn Counter) -> Vec<ClearedResult> {
        let mut found: Vec<usize> = ids.iter().filter_map(|id| self.take_newest_uncleared(id)).collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        let mut freed = Vec::with_capacity(found.len());
        for at in found {
            let entry = &self.entries[at];
            let message = entry.id;
            let id = entry.message.results().next().map(|result| result.id.clone());
            if let Some(id) = id {
                freed.push(ClearedResult { id, message, freed: self.clear(at, counter) });
            }
        }
        freed
    }

    /// The newest result of the call with an id that is not cleared yet; it counts as cleared from now on.
    fn take_newest_uncleared(&mut self, id: &str) -> Option<usize> {
        if self.clearing.open.is_none() {
            let mut open = OpenResults::default();
            self.entries.iter().for_each(|entry| open.add(entry.id, &entry.message));
            self.clearing.open = Some(open);
        }
        let results = self.clearing.open.as_mut()?.0.get_mut(id)?;
        while let Some(message) = results.pop() {
            // What has been removed since it arrived is passed over.
            let at = index_of(&self.entries, &self.breaks, message);
            if at.is_some() {
                self.clearing.cleared.insert(message);
                return at;
            }
        }
        None
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
        conversation.entries().iter().map(Entry::tokens).sum()
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
