//! Content that was moved out of the context, from where the agent can recall it.

use std::error::Error;
use std::fmt;

use super::Conversation;
use super::edit::MessageId;

/// The tool that returns offloaded content.
pub const RECALL_TOOL: &str = "recall";
/// What it does, for the agent.
pub const RECALL_DESCRIPTION: &str = "Returns the full content of a tool result that was moved out of the context. The \
                                      placeholder in its place names the id.";
/// The schema of its arguments.
pub const RECALL_SCHEMA: &str = r#"{"type":"object","properties":{"id":{"type":"string","description":"The id in the placeholder."}},"required":["id"]}"#;

/// The id of the offloaded content of a message. Messages are numbered in the order of arrival, so it is unique in a
/// conversation, stable, and the same in a replay.
pub fn offload_id(message: MessageId) -> String {
    format!("r{}", message.0)
}

/// There is no content with this id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallError(String);

impl RecallError {
    /// The error for this id.
    pub fn new(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl fmt::Display for RecallError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no offloaded content for id {:?}", self.0)
    }
}

impl Error for RecallError {}

impl Conversation {
    /// The offloaded content with this id, as it arrived. It stays after its message has been summarised or removed.
    ///
    /// # Errors
    /// When no content with this id has been offloaded.
    pub fn recall(&self, id: &str) -> Result<&str, RecallError> {
        let number = id.strip_prefix('r').and_then(|number| number.parse().ok());
        let message = number.map(MessageId).filter(|message| offload_id(*message) == id);
        let found = message.and_then(|message| self.offloaded.get(&message));
        found.map(AsRef::as_ref).ok_or_else(|| RecallError::new(id))
    }

    /// Keeps the content of the result at an index as it arrived.
    pub(super) fn keep_offloaded(&mut self, at: usize) {
        let entry = &self.entries[at];
        if let Some(result) = entry.recorded().results().next() {
            self.offloaded.insert(entry.id, result.text.clone());
        }
    }
}
