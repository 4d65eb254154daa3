//! Calls of a recording besides those of the agent.

use smol_str::SmolStr;

use crate::conversation::Usage;

/// A model call whose reply is not a message of the conversation: the harness made it for itself, to write the summary of a
/// compaction for example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessCall {
    /// The number of messages before it.
    pub messages: usize,
    /// Its usage.
    pub usage: Usage,
    /// The model; none if it is not recorded.
    pub model: Option<SmolStr>,
}
