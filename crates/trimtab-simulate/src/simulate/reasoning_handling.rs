//! What a host does with reasoning that a provider has bound to what a rule changes.

/// What the host does with reasoning after a change, for models that bind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReasoningHandling {
    /// It sends the reasoning, and the provider drops it.
    #[default]
    Drop,
    /// It removes the reasoning in the request in which it makes the change.
    Strip,
    /// It sends the reasoning, and the provider refuses the request.
    Keep,
}

impl ReasoningHandling {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Drop, Self::Strip, Self::Keep];

    /// The word in options and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Strip => "strip",
            Self::Keep => "keep",
        }
    }
}
