//! Why an effect of a rule that was due yields nothing.

/// Why an effect yields nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// The kept tail is the whole conversation.
    Kept,
    /// Nothing in front of the kept tail can be reduced or removed; with what was spared, where that was counted.
    Nothing(Option<Spared>),
    /// `at_least`: too little would be saved.
    TooLittle {
        /// Tokens that would be saved.
        saved: u64,
        /// Tokens that `at_least` demands.
        wanted: u64,
    },
    /// `down_to`: the context is there already.
    AtGoal {
        /// The context in tokens.
        tokens: u64,
        /// The goal in tokens.
        goal: u64,
    },
    /// `down_to` is a share of the window, which is unknown.
    NoWindow,
    /// Its edits would break an invariant.
    Refused,
}

/// Parts of an effect's target in front of the kept tail that are left as they are, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spared {
    /// They are reduced as far already, or further.
    pub reduced: usize,
    /// They are error results.
    pub errors: usize,
    /// `only` or `except` leaves their tools out.
    pub tools: usize,
    /// They would not become shorter.
    pub short: usize,
}

impl Idle {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Nothing(_) => "nothing",
            Self::TooLittle { .. } => "at_least",
            Self::AtGoal { .. } => "down_to",
            Self::NoWindow => "window",
            Self::Refused => "invariant",
        }
    }
}
