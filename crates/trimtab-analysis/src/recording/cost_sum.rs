//! What calls or cache breaks cost together, if the prices of some are unknown.

use smol_str::SmolStr;
use trimtab_base::conversation::Usage;
use trimtab_base::quantity::Decimal;
use trimtab_model::model::Models;

/// A number of calls, or of cache breaks, and what those with a known price cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostSum {
    /// Their number.
    pub number: usize,
    /// How many of them have a known price.
    pub priced: usize,
    /// What those with a known price cost, in US dollars.
    pub cost: Decimal,
}

/// What calls used and cost together. Only calls with usage count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCosts {
    /// The calls at list prices.
    pub costs: CostSum,
    /// Tokens of input and output.
    pub tokens: u64,
}

impl CallCosts {
    /// A call of a model at a time, as RFC 3339; without a time at the current prices.
    pub fn of(usage: Usage, model: Option<&SmolStr>, at: Option<&str>, models: &Models) -> Self {
        let prices = model.and_then(|model| models.find(model)).and_then(|model| model.prices);
        let prices = prices.and_then(|prices| prices.of_call(at, usage.service));
        Self { costs: CostSum::of(prices.and_then(|prices| prices.cost(usage))), tokens: usage.total() }
    }

    /// The sum of two.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { costs: self.costs.with(other.costs), tokens: self.tokens.saturating_add(other.tokens) }
    }
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

    /// Returns what those with a known price cost, in US dollars, or `None` if no price is known, though there are some
    /// to be paid.
    pub fn known(self) -> Option<Decimal> {
        (self.priced > 0 || self.number == 0).then_some(self.cost)
    }
}
