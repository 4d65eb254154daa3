//! The values that a fact can have.

use trimtab_base::quantity::Decimal;

use super::argument::Parameter;

/// The values that a fact can have. A context may be larger than the window, so a share of the window has no upper limit.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// Every value of its type.
    Any,
    /// Numbers from zero.
    NonNegative,
    /// Shares of a whole: from 0% to 100%.
    Part,
    /// The share of items that repeat an earlier one among N, the argument of this parameter: from 0% to (N − 1) / N.
    Repeated(&'static Parameter),
    /// The names of tools.
    ToolNames,
}

impl Domain {
    /// Returns the least number in it, or `None` if there is none.
    pub const fn least(self) -> Option<Decimal> {
        match self {
            Self::NonNegative | Self::Part | Self::Repeated(_) => Some(Decimal::ZERO),
            Self::Any | Self::ToolNames => None,
        }
    }

    /// Returns the largest number in it, whatever the arguments, or `None` if there is none.
    pub const fn largest(self) -> Option<Decimal> {
        match self {
            Self::Part | Self::Repeated(_) => Some(Decimal::ONE),
            Self::NonNegative | Self::Any | Self::ToolNames => None,
        }
    }

    /// Whether it contains a number.
    pub fn contains(self, number: Decimal) -> bool {
        self.least().is_none_or(|least| number >= least) && self.largest().is_none_or(|largest| number <= largest)
    }
}
