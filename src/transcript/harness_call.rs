//! Calls of a recording besides those of the agent.

use jiff::Timestamp;
use smol_str::SmolStr;

use super::Transcript;
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

impl Transcript {
    /// Adds the calls of another transcript, which began at the time of that transcript: before the first message of a later
    /// time, or at the end.
    pub fn add_harness_calls(&mut self, other: Self) {
        let began: Option<Timestamp> = other.started.as_deref().and_then(|at| at.parse().ok());
        let is_later = |at: &str| at.parse::<Timestamp>().ok().zip(began).is_some_and(|(at, began)| at >= began);
        let later = self.messages.iter().position(|message| message.at.as_deref().is_some_and(is_later));
        let messages = later.unwrap_or(self.messages.len());
        self.harness_calls.extend(other.harness_calls.into_iter().map(|call| HarnessCall { messages, ..call }));
        self.harness_calls.sort_by_key(|call| call.messages);
    }
}
