//! Reasoning of pinned messages, which stand before the first message that a view retains.
//!
//! It is valid if nothing before it is different from the request that it answers: not the tools, the system prompt, nor which
//! messages are sent.

use trimtab_base::conversation::{Conversation, MessageId};

use super::{BoundReasoning, ComparedRequest, Edits, has_reasoning, tokens_of};
use crate::run::request_head::RequestHead;

/// Invalid reasoning of a pinned message.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrontItem {
    pub(super) message: MessageId,
    pub(super) tokens: u64,
    /// The rule whose edit has invalidated it, or `None` if views have.
    pub(super) edited_by: Option<usize>,
}

impl BoundReasoning {
    /// The invalid reasoning of pinned messages, if this request were sent now.
    pub(super) fn front_of(&self, request: ComparedRequest<'_>) -> Vec<FrontItem> {
        let ComparedRequest { head, edits, conversation, counter } = request;
        let item = |message: &MessageId| {
            let entry = &conversation.entries()[conversation.index(*message)?];
            if !has_reasoning(entry) {
                return None;
            }
            // Reasoning that the harness kept when it compacted answers nothing that a rule could edit.
            let is_bound = |edits: &Edits| *message >= edits.first_bound && self.unedited.contains(*message);
            let edit = edits.filter(is_bound).and_then(|edits| edits.rule);
            let edited_by = self.lost.iter().position(|lost| lost.contains(*message)).or(edit);
            let has_other_head = || {
                let answered = self.unedited.get(*message).map(|item| &self.groups[item.group].head);
                answered.is_some_and(|answered| {
                    answered.as_ref().is_none_or(|answered| !is_same_before(answered, head, conversation, *message))
                })
            };
            let is_invalid = edited_by.is_some() || has_other_head();
            is_invalid.then(|| FrontItem { message: *message, tokens: tokens_of(entry, counter), edited_by })
        };
        head.pinned.others().iter().filter_map(item).collect()
    }

    /// The tokens of this invalid reasoning that the last request contained and that was valid in it.
    pub(super) fn newly_invalid(&self, front: &[FrontItem]) -> u64 {
        let was_valid = |item: &&FrontItem| {
            let Some(known) = self.answered(item.message) else { return false };
            if item.message >= self.first_sent {
                return known == self.last_group || known == self.reply_group;
            }
            let head = self.groups[self.last_group].head.as_ref();
            head.is_some_and(|head| head.pinned.others().contains(&item.message))
                && !self.front.iter().any(|old| old.message == item.message)
        };
        front.iter().filter(was_valid).map(|item| item.tokens).sum()
    }

    /// The group of the request that unedited reasoning answers.
    fn answered(&self, message: MessageId) -> Option<usize> {
        self.unedited.get(message).map(|item| item.group)
    }
}

/// Whether two requests are the same before a message.
fn is_same_before(one: &RequestHead, other: &RequestHead, conversation: &Conversation, message: MessageId) -> bool {
    one.has_tools_of(other)
        && one.has_prompt_of(other, conversation)
        && one.has_messages_before(other, conversation, message)
}
