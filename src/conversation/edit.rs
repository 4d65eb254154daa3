//! Edits: what effects ask for, and the receipts of what was done.

use super::message::{Body, Level, Message};

/// The identity of a message in one conversation; ids grow in the order of arrival and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u32);

/// The identity of a part in its message: its position when the message arrived. It stays what it is when other parts go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartId(pub u32);

/// One lasting change of a conversation, as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Reduces one part.
    Reduce {
        /// The message.
        message: MessageId,
        /// Which of its parts.
        part: PartId,
        /// The new content; none takes the part out.
        body: Option<Body>,
        /// How far the part is reduced then.
        level: Level,
        /// Whether an error result may be reduced.
        errors: bool,
    },
    /// Replaces messages by a summary, which stands where the first of them stood.
    Summarise {
        /// The messages, in order: whole groups, no system message, no call that waits for its result.
        messages: Vec<MessageId>,
        /// The summary.
        summary: Box<Message>,
    },
    /// Adds a message at the end, after the results of calls that are still open.
    Append(Box<Message>),
}

/// What one edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The message that was changed, or the one that was put in.
    pub message: MessageId,
    /// How it was changed.
    pub change: Change,
    /// Tokens of what was touched, before.
    pub before: u64,
    /// Tokens of what stands there now.
    pub after: u64,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The content of a part was replaced, or the part was removed.
    Reduced(PartId),
    /// A summary replaced this many messages.
    Summarised(usize),
    /// A message was added.
    Appended,
}

impl Receipt {
    /// Tokens saved; 0 when the edit added some.
    pub const fn saved(self) -> u64 {
        self.before.saturating_sub(self.after)
    }
}
