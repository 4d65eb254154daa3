//! Conditions as data.

use trimtab::quantity::Decimal;

use super::fact::{Fact, Scope};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    AtLeast,
    Above,
    AtMost,
    Below,
    Is,
    IsNot,
}

/// What a fact is compared with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    /// A number in the unit of the fact.
    Number(Decimal),
    /// A share of the window, for a number of tokens.
    ShareOfWindow(Decimal),
    /// A number of tokens, for a share of the window.
    Tokens(Decimal),
    Text(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    /// The fact, what stands for it while it is unknown, and the constant.
    Compare(Fact, Option<Constant>, Comparison, Constant),
    Known(Fact),
    /// The fact is known and compares with the constant.
    KnownAnd(Fact, Comparison, Constant),
    /// A text is one of these.
    In(Fact, Vec<&'static str>),
    /// A text contains this one.
    Contains(Fact, &'static str),
    /// A truth value.
    Truth(Fact),
    Changed(Vec<Fact>, Scope),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

impl Condition {
    /// The facts that it reads.
    pub(super) fn facts(&self) -> Vec<&Fact> {
        match self {
            Self::Compare(fact, ..)
            | Self::Known(fact)
            | Self::KnownAnd(fact, ..)
            | Self::In(fact, _)
            | Self::Contains(fact, _)
            | Self::Truth(fact) => vec![fact],
            Self::Changed(facts, _) => facts.iter().collect(),
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::facts).collect(),
            Self::Not(inner) => inner.facts(),
        }
    }
}
