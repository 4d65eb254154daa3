//! Content that was moved out of the context and that the agent can recall.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Conversation;
use super::edit::MessageId;

/// The tool that returns offloaded content.
pub const RECALL_TOOL: &str = "recall";
/// What it does, for the agent.
pub const RECALL_DESCRIPTION: &str = "Returns the full content of a tool result or message that was moved out of the context. The \
                                      placeholder in its place names the id.";
/// The schema of its arguments.
pub const RECALL_SCHEMA: &str = r#"{"type":"object","properties":{"id":{"type":"string","description":"The id in the placeholder."}},"required":["id"]}"#;

/// The bytes of a digest that form an id. With 48 bits, two of a million contents have the same id on one of 500
/// machines.
const CONTENT_ID_BYTES: usize = 6;

/// The command that prints offloaded content, for an agent with a shell.
pub const RECALL_COMMAND: &str = "trimtab recall";

/// How the agent gets offloaded content back.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Recall {
    /// With the tool [`RECALL_TOOL`], which the session declares.
    #[default]
    Tool,
    /// With [`RECALL_COMMAND`] in its shell.
    Command,
}

impl Recall {
    /// The id of the offloaded content of a message, for the agent. A command does not know the conversation, so its ids are
    /// digests of the content.
    pub fn id(self, message: MessageId, content: &str) -> String {
        match self {
            Self::Tool => offload_id(message),
            Self::Command => content_id(content),
        }
    }

    /// The call or command that returns the content with an id.
    pub fn call(self, id: &str) -> String {
        match self {
            Self::Tool => format!("{RECALL_TOOL}(\"{id}\")"),
            Self::Command => format!("{RECALL_COMMAND} {id}"),
        }
    }

    /// The instruction for the agent to get the content with an id.
    pub fn instruction(self, id: &str) -> String {
        let call = self.call(id);
        match self {
            Self::Tool => format!("use {call} to retrieve"),
            Self::Command => format!("run `{call}` in the shell to retrieve"),
        }
    }
}

/// The id of an offloaded content for [`RECALL_COMMAND`]: the first digits of its SHA-256.
pub fn content_id(content: &str) -> String {
    Sha256::digest(content).iter().take(CONTENT_ID_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text is an id that [`content_id`] makes.
pub fn is_content_id(text: &str) -> bool {
    text.len() == 2 * CONTENT_ID_BYTES && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a call of a tool with these arguments may return offloaded content. Any arguments that mention the command
/// count: a false positive only keeps a result in the context.
pub fn is_recall(tool: &str, arguments: &str) -> bool {
    tool == RECALL_TOOL || arguments.contains(RECALL_COMMAND)
}

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

    /// The ids of all offloaded contents in the order of their messages.
    pub fn offloaded(&self) -> Vec<String> {
        let mut messages: Vec<MessageId> = self.offloaded.keys().copied().collect();
        messages.sort_unstable();
        messages.into_iter().map(offload_id).collect()
    }

    /// Keeps the text of the message at an index as it arrived.
    pub(super) fn keep_offloaded(&mut self, at: usize) {
        let entry = &self.entries[at];
        self.offloaded.insert(entry.id, entry.arrived_text());
    }
}
