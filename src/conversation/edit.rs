//! Edits: what effects ask for, and the receipts of what was done.

use super::message::{Body, Level, Message};

/// The identity of a message in one conversation; ids grow in the order of arrival and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u32);

/// One lasting change of a conversation, as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Reduces one part.
    Reduce {
        /// The message.
        message: MessageId,
        /// Which of its parts.
        part: usize,
        /// The new content; none takes the part out.
        body: Option<Body>,
        /// How far the part is reduced then.
        level: Level,
        /// Whether an error result may be reduced.
        errors: bool,
    },
    /// Puts a summary in the place of a stretch of messages.
    Condense {
        /// The first message of the stretch.
        from: MessageId,
        /// The last message of the stretch.
        to: MessageId,
        /// Messages of the stretch that stay.
        pins: Vec<MessageId>,
        /// What stands in their place.
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
    /// How many messages left the conversation.
    pub removed: usize,
    /// Tokens of what was touched, before.
    pub before: u64,
    /// Tokens of what stands there now.
    pub after: u64,
}

impl Receipt {
    /// Tokens saved; 0 when the edit added some.
    pub const fn saved(self) -> u64 {
        self.before.saturating_sub(self.after)
    }
}
