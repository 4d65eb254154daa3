//! Why a call read less from the prompt cache than the call before it had left there.

/// Why the cache of a recording broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheCause {
    /// Another model answered than before.
    Model,
    /// The entry had expired.
    Lifetime,
    /// The tool definitions were not those of the request before.
    Tools,
    /// The system prompt was not that of the request before.
    Prompt,
    /// The messages did not begin with those of the request before.
    History,
    /// The reasoning effort was not that of the request before.
    Effort,
    /// The provider dropped the reasoning of earlier turns when a person wrote.
    Reasoning,
    /// Nothing recorded explains it, and the recording lacks the times that would show whether the entry had expired.
    Untimed,
    /// Nothing that the recording holds explains it: a miss of the provider, or a change that the recording does not hold.
    Unexplained,
}

/// All causes, in the order of the documentation.
pub static CACHE_CAUSES: [CacheCause; 9] = [
    CacheCause::Lifetime,
    CacheCause::History,
    CacheCause::Model,
    CacheCause::Tools,
    CacheCause::Prompt,
    CacheCause::Effort,
    CacheCause::Reasoning,
    CacheCause::Untimed,
    CacheCause::Unexplained,
];

impl CacheCause {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Lifetime => "lifetime",
            Self::Tools => "tools",
            Self::Prompt => "system_prompt",
            Self::History => "history",
            Self::Effort => "effort",
            Self::Reasoning => "reasoning",
            Self::Untimed => "untimed",
            Self::Unexplained => "unexplained",
        }
    }

    /// What it means, in one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Model => "another model answered",
            Self::Lifetime => "the cached prefix had expired",
            Self::Tools => "the tool definitions changed",
            Self::Prompt => "the system prompt changed",
            Self::History => "earlier messages were compacted, cleared or rewritten",
            Self::Effort => "the reasoning effort changed",
            Self::Reasoning => "the provider dropped the reasoning of earlier turns",
            Self::Untimed => "nothing recorded explains it, and no times rule out the lifetime",
            Self::Unexplained => "nothing recorded explains it",
        }
    }

    /// Whether the agent, its harness or the person can avoid it. What the provider decides is not avoidable, and neither is
    /// what may be its decision.
    pub const fn is_avoidable(self) -> bool {
        !matches!(self, Self::Reasoning | Self::Untimed | Self::Unexplained)
    }
}
