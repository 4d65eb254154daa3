//! What a suggested policy saves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::SimulatedPolicy;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::RuleSaving;

use super::{PricedCalls, RuleInterval};
use crate::report::figure::{Amount, rounded, signed};

/// What a policy saves.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PolicySavings {
    /// The tokens that it saves, negative if it adds some.
    pub tokens_saved: i64,
    /// The tokens that were sent as recorded.
    pub recorded_tokens: u64,
    /// The cost that it saves of the calls with a known price, in US dollars; null if there are none.
    pub cost_saved: Amount,
    /// What the calls with a known price cost as recorded, in US dollars; null if there are none.
    pub recorded_cost: Amount,
    /// What has a known price.
    pub priced: PricedCalls,
    /// What it saves less the losses, in the unit of the objective.
    pub net_saving: f64,
    /// What the calls would cost that need what it removes, in the unit of the objective.
    pub losses: f64,
    /// The nominal 80% interval of what it saves.
    pub interval: RuleInterval,
}

impl From<&SimulatedPolicy> for PolicySavings {
    fn from(simulated: &SimulatedPolicy) -> Self {
        let is_known = simulated.priced.is_known();
        let cost = |cost: Decimal| is_known.then_some(cost).into();
        let [tokens, dollars] = simulated.intervals();
        Self {
            tokens_saved: signed(simulated.tokens_saved),
            recorded_tokens: u64::try_from(simulated.recorded_tokens).unwrap_or(u64::MAX),
            cost_saved: cost(simulated.cost_saved),
            recorded_cost: cost(simulated.recorded_cost),
            priced: simulated.priced.into(),
            net_saving: rounded(simulated.net_saving(), 6),
            losses: rounded(simulated.losses(), 6),
            interval: RuleInterval::of(&RuleSaving { tokens, cost: dollars }, is_known),
        }
    }
}
