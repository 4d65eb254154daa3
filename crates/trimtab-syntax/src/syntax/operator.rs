//! Comparison operators.

use std::cmp::Ordering;

/// A comparison operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
}

impl Comparison {
    const ALL: [Self; 6] = [Self::Less, Self::AtMost, Self::More, Self::AtLeast, Self::Equal, Self::Unequal];

    /// The operator as it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Equal => "==",
            Self::Unequal => "!=",
        }
    }

    /// The operator that is written like this.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.symbol() == symbol)
    }

    /// The operator that is true exactly where this one is false.
    pub const fn negated(self) -> Self {
        match self {
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::More,
            Self::More => Self::AtMost,
            Self::AtLeast => Self::Less,
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
        }
    }

    /// The operator with the same meaning after its operands are swapped.
    pub const fn flipped(self) -> Self {
        match self {
            Self::Less => Self::More,
            Self::AtMost => Self::AtLeast,
            Self::More => Self::Less,
            Self::AtLeast => Self::AtMost,
            Self::Equal | Self::Unequal => self,
        }
    }

    /// Whether the comparison is true of two values in this order.
    pub const fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::More => order.is_gt(),
            Self::AtLeast => order.is_ge(),
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
        }
    }
}

/// An operator between a fact and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// One of `<`, `<=`, `>`, `>=`, `==`, `!=`.
    Comparison(Comparison),
    /// `in`
    In,
    /// `contains`
    Contains,
}

impl Operator {
    /// The operator as it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Comparison(comparison) => comparison.symbol(),
            Self::In => "in",
            Self::Contains => "contains",
        }
    }

    /// The operator that is written like this; `None` for `??` and `of`.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        let word = [Self::In, Self::Contains].into_iter().find(|operator| operator.symbol() == symbol);
        word.or_else(|| Comparison::from_symbol(symbol).map(Self::Comparison))
    }

    /// The comparison operator; `None` for `in` and `contains`.
    pub const fn comparison(self) -> Option<Comparison> {
        match self {
            Self::Comparison(comparison) => Some(comparison),
            Self::In | Self::Contains => None,
        }
    }
}
