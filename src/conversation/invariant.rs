//! An independent watch over the invariants: it compares what edits have made with what stood there before.

mod content;
mod order;

use std::fmt;

use super::Conversation;
use super::edit::{Edit, MessageId};

/// What an edit must not break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    /// A call and its results stay together, and nothing stands between them.
    Pairs,
    /// System messages stay.
    SystemPrompt,
    /// The first message that is no system message is a user's.
    UserFirst,
    /// Thinking of the open tool loop stays as it is.
    Thinking,
    /// A content edit makes the text shorter.
    Shorter,
    /// The result of a failed call is left alone, unless the policy says otherwise.
    Errors,
    /// Messages and parts that no edit names stay as they are, in their order.
    Untouched,
    /// A part that an edit names becomes what the edit says, or stays as it is.
    Stated,
    /// A conversation has at most one running summary.
    RunningSummary,
}

impl Invariant {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::SystemPrompt => "system_prompt",
            Self::UserFirst => "user_first",
            Self::Thinking => "thinking",
            Self::Shorter => "shorter",
            Self::Errors => "errors",
            Self::Untouched => "untouched",
            Self::Stated => "stated",
            Self::RunningSummary => "running_summary",
        }
    }
}

/// An invariant that an edit has broken, and at which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Violation {
    /// Which.
    pub invariant: Invariant,
    /// Where.
    pub message: MessageId,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at message {}", self.invariant.word(), self.message.0)
    }
}

/// What edits are about to touch, for a look back afterwards. Its cost grows with what the edits touch; only
/// summaries, and messages that carry results, make it look at the whole conversation.
pub(super) struct Watch {
    contents: Vec<content::Touched>,
    order: Option<order::Order>,
    length: usize,
}

impl Watch {
    /// Takes note of what stands there before some edits.
    pub(super) fn before(conversation: &Conversation, edits: &[Edit]) -> Self {
        let length = conversation.entries.len();
        Self { contents: content::touched(conversation, edits), order: order::before(conversation, edits), length }
    }

    /// What the edits have broken.
    pub(super) fn after(self, conversation: &Conversation) -> Vec<Violation> {
        let mut broken: Vec<Violation> = self.contents.iter().flat_map(|one| one.broken(conversation)).collect();
        match &self.order {
            Some(order) => broken.extend(order.broken(conversation)),
            None if conversation.entries.len() != self.length => {
                let message = conversation.entries.last().map_or(MessageId(0), super::Entry::id);
                broken.push(Violation { invariant: Invariant::Untouched, message });
            }
            None => {}
        }
        broken.sort_unstable();
        broken.dedup();
        broken
    }
}

#[cfg(test)]
mod tests;
