//! Comparison operators.

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
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
    /// `in`
    In,
    /// `contains`
    Contains,
}

impl Operator {
    const ALL: [Self; 8] =
        [Self::Less, Self::AtMost, Self::More, Self::AtLeast, Self::Equal, Self::Unequal, Self::In, Self::Contains];

    /// The operator as it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::In => "in",
            Self::Contains => "contains",
        }
    }

    /// The comparison operator that is written like this; `None` for `??` and `of`.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.symbol() == symbol)
    }

    /// The operator that is true exactly where this one is false; `None` for `in` and `contains`.
    pub const fn negated(self) -> Option<Self> {
        Some(match self {
            Self::Less => Self::AtLeast,
            Self::AtMost => Self::More,
            Self::More => Self::AtMost,
            Self::AtLeast => Self::Less,
            Self::Equal => Self::Unequal,
            Self::Unequal => Self::Equal,
            Self::In | Self::Contains => return None,
        })
    }

    /// The operator with the same meaning after its operands are swapped; `None` for `in` and `contains`.
    pub const fn flipped(self) -> Option<Self> {
        Some(match self {
            Self::Less => Self::More,
            Self::AtMost => Self::AtLeast,
            Self::More => Self::Less,
            Self::AtLeast => Self::AtMost,
            Self::Equal | Self::Unequal => self,
            Self::In | Self::Contains => return None,
        })
    }
}
