//! Single calls of a replay.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_run::run::RuleResult;
use trimtab_simulate::simulate::Trace;

use super::Bill;
use crate::report::figure::number;

/// The figures of a call, without any text from the recording.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CallResult {
    /// The call, from 0.
    pub call: u64,
    /// Its run.
    pub run: u64,
    /// The recorded context in tokens.
    pub before: u64,
    /// The context with the policy; null if the call is not made.
    pub after: Option<u64>,
    /// The input that the provider reported.
    pub recorded: Option<u64>,
    /// The system prompt and the tools in tokens.
    pub overhead: u64,
    /// The recorded usage.
    pub usage_before: Bill,
    /// The usage with the policy; null if the call is not made.
    pub usage_after: Option<Bill>,
}

/// What came of a rule at a call.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExplainedRule {
    /// The call, from 0.
    pub call: u64,
    /// Its run.
    pub run: u64,
    /// Its iteration.
    pub iteration: u64,
    /// The phase in which the rule was tried.
    pub phase: String,
    /// The rule.
    pub rule: String,
    /// What came of it.
    #[schemars(extend("enum" = RuleResult::ALL.map(|result| result.word().replace(' ', "_"))))]
    pub result: String,
    /// Why.
    pub why: Vec<String>,
}

impl CallResult {
    /// Returns the calls of a replay, or `None` if they were not requested.
    pub(in super::super) fn all(trace: &Trace) -> Option<Vec<Self>> {
        let prices = trace.pricing.per_call.as_ref()?;
        let calls = trace.calls.iter().zip(&trace.money.calls).zip(prices).enumerate();
        let results = calls.map(|(at, ((call, (before, after)), price))| {
            let bill = |usage| Bill::of(usage, price.prices.and_then(|prices| prices.cost(usage)));
            Self {
                call: number(at),
                run: call.run,
                before: call.before,
                after: call.made.then_some(call.after),
                recorded: price.recorded,
                overhead: call.overhead,
                usage_before: bill(*before),
                usage_after: after.map(bill),
            }
        });
        Some(results.collect())
    }
}
