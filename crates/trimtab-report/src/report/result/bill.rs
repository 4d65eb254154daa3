//! What calls cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::conversation::Usage;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{self, Money, PricedShare, StablePrefix, Trace};

use crate::report::figure::{Amount, number, rule_name, summed};

summed! {
    /// The tokens of some calls, and their cost.
    pub struct Bill {
        /// Input that was not cached.
        pub uncached_input: u64,
        /// Tokens written to the cache.
        pub cache_write: u64,
        /// Those of them that are kept for an hour.
        pub cache_write_1h: u64,
        /// Tokens read from the cache.
        pub cache_read: u64,
        /// Tokens of replies.
        pub output: u64,
        /// What they cost.
        pub cost: Amount,
    }

    /// A number of calls, and their bill.
    pub struct CallBill {
        /// Their bill.
        #[serde(flatten)]
        pub bill: Bill,
        /// The number of calls.
        pub calls: u64,
    }
}

summed! {
    /// What the calls of a replay cost, as recorded and with the policy.
    pub struct Bills {
        /// The recorded calls.
        pub before: Bill = bill(money.before),
        /// The recorded calls that are made under the policy too: the baseline of `after`.
        pub compared: Bill = bill(money.compared),
        /// Those of the recorded calls that have usage.
        pub with_usage: CallBill = call_bill(money.with_usage),
        /// The calls with the policy, without its summaries.
        pub after: Bill = bill(money.after),
        /// The calls that the recorded harness made for itself.
        pub harness: CallBill = call_bill(money.harness),
        /// The calls on abandoned branches.
        pub branches: CallBill = call_bill(money.branches),
        /// What the summaries of the policy cost.
        pub summaries_cost: Amount = is_known.then_some(money.summaries).into(),
    }

    /// The bills of a replay.
    pub(in super::super) fn of(money: &Money) {
        let is_known = money.priced.is_known();
        let (bill, call_bill) = (|bill| Bill::known(bill, is_known), |bill| CallBill::known(bill, is_known));
    }
}

summed! {
    /// The bills of all transcripts.
    pub struct TotalMoney {
        /// The bills.
        #[serde(flatten)]
        pub bills: Bills,
        /// Cache breaks after which the provider processed tokens again. Those that only make reasoning invalid are not counted.
        pub breaks: u64,
        /// The tokens that are processed again because of them.
        pub rewritten_tokens: u64,
    }
}

/// The bills of a transcript, and the cache breaks.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TranscriptMoney {
    /// The bills.
    #[serde(flatten)]
    pub bills: Bills,
    /// The tokens at the beginning of each request that stay cached when the history changes; null for providers without
    /// cache breakpoints.
    pub stable_prefix: Option<StablePrefixResult>,
    /// Whether all input is priced as uncached.
    pub without_cache: bool,
    /// The calls whose price is unknown, by their model.
    pub unpriced: Vec<UnpricedCalls>,
    /// Cache breaks: requests whose beginning was no longer in the cache.
    pub breaks: Vec<Break>,
}

/// How much of some calls has a known price.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PricedCalls {
    /// The calls with a known price.
    pub calls: u64,
    /// All calls.
    pub all_calls: u64,
    /// The tokens of the calls with a known price.
    pub tokens: u64,
    /// The tokens of all calls.
    pub all_tokens: u64,
}

impl From<PricedShare> for PricedCalls {
    fn from(share: PricedShare) -> Self {
        let tokens = |tokens: u128| u64::try_from(tokens).unwrap_or(u64::MAX);
        Self {
            calls: number(share.priced_calls),
            all_calls: number(share.calls),
            tokens: tokens(share.priced_tokens),
            all_tokens: tokens(share.tokens),
        }
    }
}

/// The tokens at the beginning of each request that stay cached when the history changes.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StablePrefixResult {
    /// `recorded` if they are taken from the recorded usage; `assumed` if they are assumed to be the system prompt and the tools.
    #[schemars(extend("enum" = ["recorded", "assumed"]))]
    pub source: String,
    /// Their number; null if they are assumed.
    pub tokens: Option<u64>,
}

/// The calls of a model without a known price.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UnpricedCalls {
    /// The model; null if the recording names none.
    pub model: Option<String>,
    /// Their number.
    pub calls: u64,
}

/// A cache break: a request whose beginning was no longer in the cache.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Break {
    /// The call.
    pub call: u64,
    /// The rule whose edit is the first change in the request; null if the recorded harness made it.
    pub rule: Option<String>,
    /// The tokens that are processed again.
    pub tokens: u64,
    /// The tokens of reasoning that the break makes invalid.
    pub reasoning: u64,
    /// The extra cost compared with reading the tokens from the cache.
    pub cost: Amount,
}

impl Bill {
    /// The bill of this usage.
    pub(in super::super) fn of(usage: Usage, cost: Option<Decimal>) -> Self {
        let Usage { input, cache_read, cache_write, hour_write, output, service: _ } = usage;
        Self { uncached_input: input, cache_write, cache_write_1h: hour_write, cache_read, output, cost: cost.into() }
    }

    fn known(bill: simulate::Bill, is_known: bool) -> Self {
        Self::of(bill.usage, is_known.then_some(bill.cost))
    }
}

impl CallBill {
    fn known(calls: simulate::CallBill, is_known: bool) -> Self {
        Self { bill: Bill::known(calls.bill, is_known), calls: number(calls.calls) }
    }
}

impl Bills {
    /// What calls and summaries cost with the policy.
    pub(in super::super) fn with_policy(&self) -> Amount {
        self.after.cost.plus(self.summaries_cost)
    }

    /// What the policy saves of the cost of the calls that are made in both.
    pub(in super::super) fn saved(&self) -> Amount {
        self.compared.cost.less(self.with_policy())
    }
}

impl TranscriptMoney {
    /// The money of a replay.
    pub(in super::super) fn of(trace: &Trace) -> Self {
        let money = &trace.money;
        let unpriced = trace.pricing.unpriced.iter();
        let breaks = money.breaks.iter().map(|broken| Break {
            call: number(broken.call),
            rule: broken.rule.and_then(|rule| rule_name(trace, rule)),
            tokens: broken.tokens,
            reasoning: broken.reasoning,
            cost: broken.cost.into(),
        });
        Self {
            bills: Bills::of(money),
            stable_prefix: money.stable_prefix.map(StablePrefixResult::of),
            without_cache: trace.pricing.without_cache,
            unpriced: unpriced
                .map(|(model, calls)| UnpricedCalls {
                    model: model.as_ref().map(ToString::to_string),
                    calls: number(*calls),
                })
                .collect(),
            breaks: breaks.collect(),
        }
    }
}

impl StablePrefixResult {
    fn of(prefix: StablePrefix) -> Self {
        let (source, tokens) = match prefix {
            StablePrefix::Recorded(tokens) => ("recorded", Some(tokens)),
            StablePrefix::Assumed => ("assumed", None),
        };
        Self { source: source.to_owned(), tokens }
    }
}

impl From<&TranscriptMoney> for TotalMoney {
    fn from(money: &TranscriptMoney) -> Self {
        let breaks = || money.breaks.iter().filter(|broken| broken.tokens > 0);
        Self {
            bills: money.bills,
            breaks: number(breaks().count()),
            rewritten_tokens: breaks().map(|broken| broken.tokens).fold(0, u64::saturating_add),
        }
    }
}
