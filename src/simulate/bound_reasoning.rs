//! Reasoning that a provider binds to everything before it: which of it a change of earlier messages has invalidated.

use crate::conversation::{Body, Conversation, Counter, Entry, MessageId};

/// What the host does with reasoning behind a change, for models that bind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReasoningHandling {
    /// It sends the reasoning, and the provider drops it.
    #[default]
    Drop,
    /// It removes the reasoning in the request in which it makes the change.
    Strip,
    /// It sends the reasoning, and the provider refuses the request.
    Keep,
}

impl ReasoningHandling {
    /// The word in options and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Strip => "strip",
            Self::Keep => "keep",
        }
    }
}

/// What becomes of invalid reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvalidReasoning {
    /// It stays in the context.
    Stays,
    /// It leaves the context.
    Leaves,
}

/// The reasoning of the replies so far.
#[derive(Debug, Default)]
pub(super) struct BoundReasoning {
    /// The messages whose reasoning is valid, in the order of arrival.
    valid: Vec<MessageId>,
    /// The messages whose reasoning the last change has invalidated.
    invalidated: Vec<MessageId>,
    /// The messages whose reasoning changes of rules have invalidated, in their order.
    lost: Vec<Lost>,
    /// Their tokens by rule.
    by_rule: Vec<u64>,
}

/// A message whose reasoning is invalid.
#[derive(Clone, Copy, Debug)]
struct Lost {
    message: MessageId,
    /// The rule that has invalidated it.
    rule: usize,
    /// The tokens of the reasoning.
    tokens: u64,
    /// The tokens of this and of all before it.
    sum: u64,
}

impl BoundReasoning {
    /// Adds the messages from an id on.
    pub(super) fn arrive(&mut self, conversation: &Conversation, next: MessageId) {
        let new = conversation.entries().iter().rev().take_while(|entry| entry.id() >= next);
        let start = self.valid.len();
        self.valid.extend(new.filter(|entry| reasons(entry)).map(Entry::id));
        if let Some(new) = self.valid.get_mut(start..) {
            new.reverse();
        }
    }

    /// Invalidates the reasoning of the messages from one on, also of one that has not been sent: it is bound to the request
    /// that it answers. Returns its tokens.
    pub(super) fn invalidate(&mut self, conversation: &Conversation, first: MessageId, counter: &dyn Counter) -> u64 {
        let valid = self.valid.partition_point(|id| *id < first);
        self.invalidated.extend(self.valid.drain(valid..));
        let tokens = self.invalidated.iter().filter_map(|id| tokens(conversation, *id, counter));
        tokens.sum()
    }

    /// Takes in which rule has made the last change, if any; messages before an index have not changed.
    pub(super) fn attribute(
        &mut self,
        rule: Option<usize>,
        conversation: &Conversation,
        unchanged: usize,
        counter: &dyn Counter,
    ) {
        let same = self.up_to(last_before(conversation, unchanged));
        let mut tail: Vec<(MessageId, usize)> =
            self.invalidated.drain(..).filter_map(|message| Some((message, rule?))).collect();
        let new = tail.iter().map(|(message, _)| self.lost.partition_point(|lost| lost.message < *message));
        let kept = new.min().map_or(same, |new| new.min(same));
        for Lost { message, rule, tokens, .. } in self.lost.drain(kept..) {
            self.by_rule[rule] -= tokens;
            tail.push((message, rule));
        }
        tail.sort_unstable();
        let mut sum = self.lost.last().map_or(0, |lost| lost.sum);
        for (message, rule) in tail {
            let Some(tokens) = tokens(conversation, message, counter) else { continue };
            sum += tokens;
            self.lost.push(Lost { message, rule, tokens, sum });
            self.by_rule.resize(self.by_rule.len().max(rule + 1), 0);
            self.by_rule[rule] += tokens;
        }
    }

    /// The invalid tokens of the messages before an index.
    pub(super) fn lost_before(&self, conversation: &Conversation, at: usize) -> u64 {
        let end = self.up_to(last_before(conversation, at));
        end.checked_sub(1).and_then(|last| self.lost.get(last)).map_or(0, |lost| lost.sum)
    }

    /// How many of the messages with invalid reasoning are not behind one.
    fn up_to(&self, last: Option<MessageId>) -> usize {
        self.lost.partition_point(|lost| last.is_some_and(|last| lost.message <= last))
    }

    /// The invalid tokens of the messages from one on, or of all, by the index of the rule that has invalidated them.
    pub(super) fn lost(&self, first: Option<MessageId>) -> Vec<u64> {
        let mut by_rule = self.by_rule.clone();
        let is_unsent = |lost: &&Lost| first.is_some_and(|first| lost.message < first);
        for lost in self.lost.iter().take_while(is_unsent) {
            by_rule[lost.rule] -= lost.tokens;
        }
        by_rule
    }

    /// Whether no reasoning is invalid because of a rule.
    pub(super) const fn is_valid(&self) -> bool {
        self.lost.is_empty()
    }

    /// Whether the reasoning of a message is invalid because of a rule.
    pub(super) fn is_lost(&self, message: MessageId) -> bool {
        self.lost.binary_search_by_key(&message, |lost| lost.message).is_ok()
    }
}

/// The last message before an index that is not a summary.
fn last_before(conversation: &Conversation, at: usize) -> Option<MessageId> {
    conversation.entries().iter().take(at).rev().find(|entry| !entry.is_summary()).map(Entry::id)
}

/// The tokens of a message's reasoning; none if the message is not in the conversation.
fn tokens(conversation: &Conversation, message: MessageId, counter: &dyn Counter) -> Option<u64> {
    let entry = &conversation.entries()[conversation.index(message)?];
    let reasoning = entry.parts().filter(|(_, part)| matches!(part.body, Body::Thinking { .. }));
    Some(reasoning.map(|(part, _)| entry.part_tokens(part, counter)).sum())
}

/// Whether a message has reasoning.
fn reasons(entry: &Entry) -> bool {
    entry.message().parts.iter().any(|part| matches!(part.body, Body::Thinking { .. }))
}
