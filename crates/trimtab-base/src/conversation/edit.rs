//! Edits that effects request, and receipts for those that were made.

use super::message::{Body, Level, Message};

/// The identity of a message in one conversation. Ids increase in the order of arrival and are never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u32);

/// The identity of a part in its message: its position on arrival. It does not change when other parts are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartId(pub u32);

/// A lasting change of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Reduces one part.
    Reduce {
        /// The message.
        message: MessageId,
        /// Which of its parts.
        part: PartId,
        /// The new content. `None` removes the part.
        body: Option<Body>,
        /// How far the new content is reduced.
        level: Level,
        /// Whether an error result may be reduced.
        errors: bool,
    },
    /// Gives a result back the content that it had when it arrived. This is the only edit that may make a message longer.
    Restore {
        /// The message.
        message: MessageId,
        /// Which of its parts.
        part: PartId,
    },
    /// Replaces messages with a summary at the position of the first one.
    Summarise {
        /// The messages in order: whole groups without system messages and open calls.
        messages: Vec<MessageId>,
        /// The summary.
        summary: Box<Message>,
    },
    /// Removes messages.
    Remove {
        /// The messages in order: whole groups without system messages and open calls. The first message after the system
        /// prompt stays a user message.
        messages: Vec<MessageId>,
    },
    /// Adds a message at the end, after the results of open calls.
    Append(Box<Message>),
}

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The message that was changed or added, or the first one that was removed.
    pub message: MessageId,
    /// The index of the first changed message.
    pub at: usize,
    /// The kind of change.
    pub change: Change,
    /// The tokens of the changed parts or messages before the edit.
    pub before: u64,
    /// Their tokens after the edit.
    pub after: u64,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The content of a part was replaced, or the part was removed.
    Reduced(PartId),
    /// The recorded content of a part was restored.
    Restored(PartId),
    /// A summary replaced this many messages.
    Summarised(usize),
    /// This many messages were removed.
    Removed(usize),
    /// A message was added.
    Appended,
}

impl Receipt {
    /// The tokens saved; 0 when the edit added tokens.
    pub const fn saved(self) -> u64 {
        self.before.saturating_sub(self.after)
    }
}

impl Change {
    /// Whether messages left the conversation.
    pub const fn is_compaction(self) -> bool {
        match self {
            Self::Summarised(_) | Self::Removed(_) => true,
            Self::Reduced(_) | Self::Restored(_) | Self::Appended => false,
        }
    }
}
