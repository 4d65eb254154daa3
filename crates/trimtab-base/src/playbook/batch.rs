//! What a reflector reads: the calls of one reply and their results.

use std::sync::Arc;

use super::{StrategyId, Tag};

/// A reply with calls, and the results of the calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolBatch {
    /// The newest message of a person.
    pub request: String,
    /// The text of the reply.
    pub reply: String,
    /// The strategies that the reply cites.
    pub cited: Vec<StrategyId>,
    /// The calls in order.
    pub calls: Vec<ToolUse>,
}

/// A call and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    /// The tool.
    pub tool: String,
    /// The arguments, usually as JSON.
    pub arguments: String,
    /// The text of the result, or `None` if there is no result.
    pub result: Option<Arc<str>>,
    /// Whether the result is an error.
    pub is_error: bool,
}

impl ToolBatch {
    /// Whether a result is an error.
    pub fn has_failed(&self) -> bool {
        self.calls.iter().any(|call| call.is_error)
    }

    /// How the strategies turned out that the reply cites: harmful if a result is an error, helpful if all calls have
    /// succeeded, and neutral if there are no calls or a result is missing.
    pub fn outcome(&self) -> Tag {
        if self.has_failed() {
            Tag::Harmful
        } else if self.calls.is_empty() || self.calls.iter().any(|call| call.result.is_none()) {
            Tag::Neutral
        } else {
            Tag::Helpful
        }
    }
}
