//! Rows of the fidelity table: the translation of each option.

use smol_str::SmolStr;
use trimtab_base::source::Span;

/// How well a policy expresses the meaning of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// It means the same.
    Exact,
    /// It means something similar; the reason states the difference.
    Approximate,
    /// The language cannot express it; the reason states why.
    Impossible,
}

impl Fidelity {
    /// Its name in output.
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
    /// It is written at this place.
    Written(Span),
    /// It is the documented default.
    Default,
    /// The system computes it.
    Computed,
    /// The option is not written, and has no effect then.
    Unset,
    /// There is no option: the system always behaves like this.
    BuiltIn,
}

impl Origin {
    /// Its name in output.
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

/// The translation of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The key of the option, or a few words for something built in.
    pub option: SmolStr,
    /// Its value.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
    /// The part of the policy that it became; empty if there is none.
    pub became: String,
    /// How well that expresses the option.
    pub fidelity: Fidelity,
    /// Why it is not exact, or why it needs no part of the policy.
    pub reason: String,
}

impl Row {
    /// Whether the option has an effect: it is set, or became a part of the policy.
    pub fn is_set(&self) -> bool {
        self.origin != Origin::Unset || !self.became.is_empty()
    }
}
