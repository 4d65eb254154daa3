//! Comparison signs, and expressions that hold one thing against another.

use super::tree::{Expr, ExprKind};
use crate::source::Spanned;

/// A comparison sign.
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
    /// The sign as written.
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

    /// The sign that holds exactly where this one does not; none for `in` and `contains`.
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

    /// The sign that says the same with the sides exchanged; none for `in` and `contains`.
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

impl Expr {
    /// Its sides and the sign between them, when it is one comparison.
    pub fn comparison(&self) -> Option<(&Self, &Spanned<Operator>, &Self)> {
        match &self.kind {
            ExprKind::Compare(left, rest) => match rest.as_slice() {
                [(sign, right)] => Some((left, sign, right)),
                _ => None,
            },
            _ => None,
        }
    }
}
