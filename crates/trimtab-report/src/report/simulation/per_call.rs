//! The figures of each call as JSON, without any text of the recording.

use serde_json::{Value as Json, json};
use trimtab_simulate::simulate::{CallPrice, Trace};

use super::money::{call_cost, usage_json};

/// A value for each call; none if they were not requested.
pub(in super::super) fn json(trace: &Trace) -> Option<Json> {
    let prices = trace.pricing.per_call.as_ref()?;
    let calls = trace.calls.iter().zip(&trace.money.calls).zip(prices).enumerate();
    Some(
        calls
            .map(|(at, ((call, (before, after)), price))| {
                let CallPrice { prices, recorded } = price;
                let bill = |usage| usage_json(usage, call_cost(usage, *prices));
                json!({
                    "call": at,
                    "run": call.run,
                    "before": call.before,
                    "after": call.made.then_some(call.after),
                    "recorded": recorded,
                    "overhead": call.overhead,
                    "usage_before": bill(*before),
                    "usage_after": after.map(bill),
                })
            })
            .collect(),
    )
}
