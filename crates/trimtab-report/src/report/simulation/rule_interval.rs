//! Between which values the saving of a rule is expected, as programs read it.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::RuleSaving;

use crate::report::amount::Amount;

/// Between which values the saving of a rule is expected, in one transcript or several.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct RuleInterval {
    tokens: Ends<i64>,
    cost: Ends<Amount>,
}

/// The ends of an interval.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Ends<T> {
    low: T,
    high: T,
}

impl RuleInterval {
    /// The interval of what a rule saves.
    pub(super) fn of(saving: &RuleSaving, is_known: bool) -> Self {
        use rust_decimal::prelude::ToPrimitive;
        let tokens = |tokens: Decimal| {
            let bound = if tokens.is_sign_negative() { i64::MIN } else { i64::MAX };
            tokens.round().to_i64().unwrap_or(bound)
        };
        let cost = |cost: Decimal| Amount(is_known.then_some(cost));
        let ([fewest, most], [least, greatest]) = (saving.tokens, saving.cost);
        Self {
            tokens: Ends { low: tokens(fewest), high: tokens(most) },
            cost: Ends { low: cost(least), high: cost(greatest) },
        }
    }

    /// Adds that of another transcript.
    pub(super) fn add(&mut self, other: Self) {
        self.tokens.low = self.tokens.low.saturating_add(other.tokens.low);
        self.tokens.high = self.tokens.high.saturating_add(other.tokens.high);
        self.cost.low.add(other.cost.low);
        self.cost.high.add(other.cost.high);
    }

    /// The JSON form.
    pub(super) fn json(self) -> Json {
        let Self { tokens, cost } = self;
        json!({
            "tokens": { "low": tokens.low, "high": tokens.high },
            "cost": { "low": cost.low.json(), "high": cost.high.json() },
        })
    }
}
