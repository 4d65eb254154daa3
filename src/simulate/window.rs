//! The context window of a replay and its source.

use crate::conversation::Usage;
use crate::model::{self, Model};
use crate::plan::Plan;
use crate::source::SourceId;
use crate::transcript::Transcript;

/// The source of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WindowSource {
    /// The caller's flag.
    Flag,
    /// The policy's `agent` block.
    Policy,
    /// A profile in the project's settings.
    Profile,
    /// The recording.
    Recording,
    /// The model table: the standard window of the model.
    Model,
    /// The model table: the long window, because the model id ends with `[1m]`.
    LongModelId,
    /// The model table: the long window, because a recorded context is larger than the standard one.
    LongContext,
}

impl WindowSource {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Policy => "policy",
            Self::Profile => "profile",
            Self::Recording => "recording",
            Self::Model => "model",
            Self::LongModelId => "long_model_id",
            Self::LongContext => "long_context",
        }
    }
}

/// The window in tokens: that of the caller, the policy, the recording or the model; none if it is unknown.
pub(super) fn resolve(
    plan: &Plan,
    transcript: &Transcript,
    flag: Option<u64>,
    model: Option<&str>,
) -> Option<(u64, WindowSource)> {
    let flag = flag.map(|window| (window, WindowSource::Flag));
    let policy = plan.agent.window.map(|window| match window.span.source {
        SourceId::SETTINGS => (window.node, WindowSource::Profile),
        _ => (window.node, WindowSource::Policy),
    });
    let recorded = transcript.window.map(|window| (window, WindowSource::Recording));
    flag.or(policy).or(recorded).or_else(|| of_model(transcript, model?))
}

/// The standard window of a model, or its long window if the id or the recording shows that it is enabled.
fn of_model(transcript: &Transcript, id: &str) -> Option<(u64, WindowSource)> {
    let Model { window, long_window, .. } = model::find(id)?;
    let is_marked =
        model::has_long_suffix(id) || transcript.model.as_deref().is_some_and(|own| is_same_marked(id, own));
    match long_window {
        _ if model::has_long_suffix(id) => Some((window, WindowSource::LongModelId)),
        Some(long) if is_marked => Some((long, WindowSource::LongModelId)),
        Some(long) if largest(transcript) > window => Some((long, WindowSource::LongContext)),
        _ => Some((window, WindowSource::Model)),
    }
}

/// Whether a recorded id names the same model with the marker of the long window.
fn is_same_marked(id: &str, recorded: &str) -> bool {
    model::has_long_suffix(recorded) && model::find(recorded).map(|one| one.id) == model::find(id).map(|one| one.id)
}

/// The largest context in the recording, in tokens.
fn largest(transcript: &Transcript) -> u64 {
    let contexts = transcript.messages.iter().filter_map(|message| {
        let compacted = message.compaction().and_then(|compaction| compaction.tokens);
        message.usage.map(Usage::context).max(compacted)
    });
    contexts.max().unwrap_or(0)
}
