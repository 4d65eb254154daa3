//! Rows of the fidelity table: what an option became.

use smol_str::SmolStr;
use trimtab_base::source::Span;

/// How well a policy says what an option means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// It means the same.
    Exact,
    /// It means something similar; the reason says what is different.
    Approximate,
    /// The language cannot say it; the reason says why.
    Impossible,
}

impl Fidelity {
    /// The word for it in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Approximate => "approximate",
            Self::Impossible => "impossible",
        }
    }
}

/// Where the value of an option comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is written here.
    Written(Span),
    /// It is the documented default.
    Default,
    /// The system computes it.
    Computed,
    /// It is not written, and without it there is no effect.
    Unset,
    /// It is not an option: the system always does it.
    BuiltIn,
}

impl Origin {
    /// The word for it in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Written(_) => "written",
            Self::Default => "default",
            Self::Computed => "computed",
            Self::Unset => "not set",
            Self::BuiltIn => "built in",
        }
    }
}

/// What an option became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The option, or a few words for something built in.
    pub option: SmolStr,
    /// Its value.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
    /// What it became; empty if nothing.
    pub became: String,
    /// How well.
    pub fidelity: Fidelity,
    /// Why it is not exact, or why it became nothing.
    pub reason: String,
}

impl Row {
    /// Whether there is something to say: options that are not set have no effect.
    pub fn is_set(&self) -> bool {
        self.origin != Origin::Unset || !self.became.is_empty()
    }
}
