//! Reasons why an effect does nothing although its rule is due.

/// Why an effect does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleReason {
    /// The kept tail is the whole conversation.
    AllKept,
    /// Every result has been sent before.
    NoArrivals,
    /// No arrival can be reduced; with the skipped parts, if they were counted.
    NoReducibleArrivals(Option<SkippedParts>),
    /// Nothing before the kept tail can be reduced or removed; with the skipped parts, if they were counted.
    NothingToReduce(Option<SkippedParts>),
    /// Too little would be saved for `at_least`.
    TooLittle {
        /// The tokens that would be saved; if the step does not explain its rules, an upper bound of them.
        saved: u64,
        /// The tokens that `at_least` requires.
        wanted: u64,
    },
    /// The context is already as small as `down_to` requires.
    AtGoal {
        /// The size of the context in tokens.
        tokens: u64,
        /// The goal in tokens.
        goal: u64,
    },
    /// `down_to` or `keep` is a share of the context window, which is unknown.
    NoWindow,
    /// The playbook has no strategies, or none are requested.
    EmptyPlaybook,
    /// The next request is already as it would make it.
    SameRequest,
    /// The request has none of the items.
    NothingNamed,
    /// The phase is about no compaction miss.
    NoMiss,
    /// The earlier result is no longer in the conversation.
    ResultGone,
    /// The earlier result is whole again.
    ResultWhole,
    /// The tool already has this factor.
    AlreadyBoosted,
    /// Its edits would violate an invariant.
    Refused,
}

/// The parts of an effect's target before the kept tail that it skipped, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedParts {
    /// Parts that are already reduced as far, or further.
    pub reduced: usize,
    /// Error results.
    pub errors: usize,
    /// Parts that are no error results, where only those are changed.
    pub no_errors: usize,
    /// Parts of tools that `only` or `except` leaves out.
    pub tools: usize,
    /// Parts that are not longer than `over`.
    pub not_over: usize,
    /// Parts that would not become shorter.
    pub short: usize,
    /// Parts that a rule has restored and that are still protected.
    pub protected: usize,
    /// The newest results of tools in `keep_latest`.
    pub latest: usize,
    /// Images of the message that began the run.
    pub request: usize,
    /// Parts without which a message would be empty or end in reasoning.
    pub required: usize,
}

impl IdleReason {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::AllKept => "kept",
            Self::NoArrivals => "arrivals",
            Self::NoReducibleArrivals(_) | Self::NothingToReduce(_) => "nothing",
            Self::TooLittle { .. } => "at_least",
            Self::AtGoal { .. } => "down_to",
            Self::NoWindow => "window",
            Self::EmptyPlaybook => "playbook",
            Self::SameRequest => "same",
            Self::NothingNamed => "names",
            Self::NoMiss => "miss",
            Self::ResultGone => "gone",
            Self::ResultWhole => "whole",
            Self::AlreadyBoosted => "boosted",
            Self::Refused => "invariant",
        }
    }
}
