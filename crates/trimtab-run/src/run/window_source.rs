//! Where the window of a session comes from.

/// The source of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WindowSource {
    /// The caller's flag.
    Flag,
    /// The policy's `agent` block.
    Policy,
    /// A profile in the project's settings.
    Profile,
    /// The recording or the live host.
    Recording,
    /// The model table: the standard window of the model.
    Model,
    /// The model table: the long window, because the model id ends with `[1m]`.
    LongModelId,
    /// The model table: the long window, because a recorded context is larger than the standard one.
    LongContext,
}

impl WindowSource {
    /// Whether the caller or the policy sets the window, so that it holds for every model.
    pub(super) const fn is_chosen(self) -> bool {
        matches!(self, Self::Flag | Self::Policy | Self::Profile)
    }

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
