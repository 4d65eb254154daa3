//! Calls of a recording besides those of the agent.

use jiff::Timestamp;
use smol_str::SmolStr;
use trimtab_base::conversation::Usage;

use super::Transcript;

/// A model call whose reply is not a message of the conversation: the harness made it for itself, to write the summary of a
/// compaction for example, or the conversation has left the branch of the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarnessCall {
    /// The number of messages before it.
    pub messages: usize,
    /// What it was for.
    pub kind: HarnessCallKind,
    /// Its usage.
    pub usage: Usage,
    /// The model, or `None` if it is not recorded.
    pub model: Option<SmolStr>,
}

/// What a call was for whose reply is not a message of the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HarnessCallKind {
    /// It wrote the summary of a compaction or of a branch.
    Summary,
    /// It was a call of the agent on a branch that the conversation has left: the reply was generated again, or the person
    /// went back to an earlier message.
    Branch,
    /// Anything else, or what the recording does not say.
    #[default]
    Other,
}

/// All kinds, in the order of output.
pub static HARNESS_CALL_KINDS: [HarnessCallKind; 3] =
    [HarnessCallKind::Summary, HarnessCallKind::Branch, HarnessCallKind::Other];

impl HarnessCallKind {
    /// Its name in recordings and in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Branch => "branch",
            Self::Other => "other",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        HARNESS_CALL_KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

impl Transcript {
    /// Adds the harness calls of another transcript before the first message that is not older than the start of that transcript,
    /// or at the end.
    pub fn add_harness_calls(&mut self, other: Self) {
        let began: Option<Timestamp> = other.started.as_deref().and_then(|at| at.parse().ok());
        let is_later = |at: &str| at.parse::<Timestamp>().ok().zip(began).is_some_and(|(at, began)| at >= began);
        let later = self.messages.iter().position(|message| message.at.as_deref().is_some_and(is_later));
        let messages = later.unwrap_or(self.messages.len());
        self.harness_calls.extend(other.harness_calls.into_iter().map(|call| HarnessCall { messages, ..call }));
        self.harness_calls.sort_by_key(|call| call.messages);
    }
}
