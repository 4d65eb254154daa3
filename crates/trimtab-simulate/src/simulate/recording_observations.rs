//! Observations of a replay that do not belong to a call or a rule: properties of the recording.

use std::collections::BTreeSet;

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Role};
use trimtab_recordings::transcript::Transcript;

use super::replay_inputs::ReplayInputs;

/// Properties of a recording that do not depend on the plan.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The model that the recording names.
    pub model: Option<SmolStr>,
    /// The tools that the recording declares or calls.
    pub tools: BTreeSet<SmolStr>,
    /// Tokens that the first call sends before any other message: the system prompt and the overhead.
    pub overhead: u64,
    /// Whether the overhead comes from recorded usage or recorded schemas, and not from the policy.
    pub is_measured: bool,
    /// Whether the recording begins in the middle of the conversation.
    pub missing_history: bool,
    /// Tokens of all tool results.
    pub results: u64,
    /// Tokens of error results.
    pub errors: u64,
    /// The number of tool results that are errors by their text only.
    pub inferred_errors: usize,
    /// The largest context at which rules were tried, in tokens.
    pub peak: u64,
}

impl Observed {
    /// The observations at the beginning of a transcript.
    pub(super) fn of(transcript: &Transcript, inputs: &ReplayInputs) -> Self {
        let has_usage = inputs.usage_points > 0;
        // The overhead is known if the context is reset after the missing history.
        let is_known = !transcript.missing_history || inputs.unrecorded.len() < inputs.overheads.len();
        let schemas = transcript.tools.iter().any(|tool| tool.schema.is_some() || tool.description.is_some());
        Self {
            model: transcript.model.clone(),
            tools: transcript.tools.iter().map(|tool| tool.name.clone()).collect(),
            is_measured: (has_usage || schemas) && is_known,
            missing_history: transcript.missing_history,
            ..Self::default()
        }
    }

    /// Adds a message with its number of tokens.
    pub(super) fn add(&mut self, message: &Message, tokens: u64) {
        for (_, name, _) in message.calls() {
            if !self.tools.contains(name) {
                self.tools.insert(name.clone());
            }
        }
        if message.role == Role::Tool && !message.kept {
            self.results += tokens;
            if message.results().any(|result| result.is_error) {
                self.errors += tokens;
                self.inferred_errors += usize::from(message.inferred_error);
            }
        }
    }
}
