//! What calls or breaks of the prompt cache cost together, if the prices of some are unknown.

use crate::quantity::Decimal;

/// A number of calls, or of breaks of the prompt cache, and what those with a known price cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostSum {
    /// Their number.
    pub number: usize,
    /// How many of them have a known price.
    pub priced: usize,
    /// What those with a known price cost, in US dollars.
    pub cost: Decimal,
}

impl CostSum {
    /// One of them, with its cost if its price is known.
    pub fn of(cost: Option<Decimal>) -> Self {
        Self { number: 1, priced: usize::from(cost.is_some()), cost: cost.unwrap_or_default() }
    }

    /// The sum of two; at most the largest number.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            number: self.number + other.number,
            priced: self.priced + other.priced,
            cost: self.cost.checked_add(other.cost).unwrap_or(Decimal::MAX),
        }
    }

    /// Whether every price is known. Nothing costs nothing.
    pub const fn is_complete(self) -> bool {
        self.priced == self.number
    }

    /// What those with a known price cost, in US dollars; none if no price is known, though there are some to be paid.
    pub fn known(self) -> Option<Decimal> {
        (self.priced > 0 || self.number == 0).then_some(self.cost)
    }
}
