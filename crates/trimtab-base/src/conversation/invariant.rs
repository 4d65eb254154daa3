//! Checks the invariants independently of the code that applies edits, by comparing the conversation before and after.

mod content;
mod order;

use std::fmt;

use super::Conversation;
use super::edit::{Edit, MessageId};

/// A property that edits must preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    /// A call and its results stay together, with nothing between them.
    Pairs,
    /// System messages are kept.
    SystemPrompt,
    /// The first message after the system messages is a user message.
    UserFirst,
    /// Reasoning of the open tool loop does not change.
    Thinking,
    /// An edit of content makes it shorter, unless it restores what arrived.
    Shorter,
    /// Error results do not change, unless the policy includes them.
    Errors,
    /// Messages and parts that no edit names do not change or move.
    Untouched,
    /// A protected part does not change, and its message stays. Text and images of the request do not change.
    Pinned,
    /// A part that an edit names gets the content given by the edit, or does not change.
    Stated,
    /// There is at most one running summary.
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
            Self::Pinned => "pinned",
            Self::Stated => "stated",
            Self::RunningSummary => "running_summary",
        }
    }
}

/// A violated invariant and the message at which it is violated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Violation {
    /// The invariant.
    pub invariant: Invariant,
    /// The message.
    pub message: MessageId,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at message {}", self.invariant.word(), self.message.0)
    }
}

/// The state before some edits, with which the state after them is compared. The cost grows with the number of edited
/// parts; only summaries and added results need a comparison of the whole conversation.
pub(super) struct InvariantCheck {
    contents: Vec<content::EditedMessage>,
    order: Option<order::Order>,
    length: usize,
}

impl InvariantCheck {
    /// Records the state before some edits.
    pub(super) fn before(conversation: &Conversation, edits: &[Edit]) -> Self {
        let length = conversation.entries.len();
        Self {
            contents: content::edited_messages(conversation, edits),
            order: order::before(conversation, edits),
            length,
        }
    }

    /// The violations caused by the edits.
    pub(super) fn after(self, conversation: &Conversation) -> Vec<Violation> {
        let mut violations: Vec<Violation> =
            self.contents.iter().flat_map(|content| content.violations(conversation)).collect();
        match &self.order {
            Some(order) => violations.extend(order.violations(conversation)),
            None if conversation.entries.len() != self.length => {
                let message = conversation.entries.last().map_or(MessageId(0), super::Entry::id);
                violations.push(Violation { invariant: Invariant::Untouched, message });
            }
            None => {}
        }
        violations.sort_unstable();
        violations.dedup();
        violations
    }
}

#[cfg(test)]
mod tests;
