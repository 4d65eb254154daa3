//! Totals of replays: expectations on one recording, and on all recordings together.

use trimtab_base::quantity::{Decimal, Type, Value};
use trimtab_language::check::{ExpectationKind, TotalClaim, TotalKind};
use trimtab_simulate::simulate::Trace;

use super::observer::ExpectationResult;

/// The decimal places of a cost, so that the sum of parts that were written as JSON is the sum of all.
const COST_DIGITS: u32 = 9;

/// An expectation on the total over all recordings, and the total so far.
#[derive(Clone, Copy, Debug)]
pub struct SummedExpectation {
    claim: TotalClaim,
    sum: TotalSum,
}

/// A total over several recordings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalSum {
    /// The sum over the recordings in which the total is known.
    pub value: Decimal,
    /// The number of recordings in which it is known.
    pub known: u64,
    /// The number of recordings in which it is unknown, such as a cost without a price.
    pub unknown: u64,
}

impl TotalSum {
    /// Adds the total of other recordings.
    pub fn add(&mut self, other: Self) {
        self.value = self.value.checked_add(other.value).unwrap_or(Decimal::MAX);
        self.known = self.known.saturating_add(other.known);
        self.unknown = self.unknown.saturating_add(other.unknown);
    }
}

impl From<Option<Decimal>> for TotalSum {
    /// The total of one recording.
    fn from(value: Option<Decimal>) -> Self {
        let is_known = value.is_some();
        Self { value: value.unwrap_or_default(), known: u64::from(is_known), unknown: u64::from(!is_known) }
    }
}

impl SummedExpectation {
    /// Returns the expectation before any recording, or `None` if the claim is about each recording.
    pub fn of(claim: &ExpectationKind) -> Option<Self> {
        match claim {
            ExpectationKind::Total(claim) if claim.is_over_all => {
                Some(Self { claim: *claim, sum: TotalSum::default() })
            }
            _ => None,
        }
    }

    /// Adds a replay.
    pub fn add(&mut self, trace: &Trace) {
        self.add_sum(value(&self.claim, trace).into());
    }

    /// Adds the total of several replays.
    pub fn add_sum(&mut self, sum: TotalSum) {
        self.sum.add(sum);
    }

    /// The total so far.
    pub const fn sum(&self) -> TotalSum {
        self.sum
    }

    /// The verdict on the total so far. A total that is unknown in some recordings is the sum over the others.
    pub fn verdict(&self) -> ExpectationResult {
        let TotalSum { value, known, unknown } = self.sum;
        if unknown == 0 {
            return verdict(&self.claim, Some(value));
        }
        let ExpectationResult { is_met, actual, at } = verdict(&self.claim, (known > 0).then_some(value));
        let recordings = if unknown == 1 { "recording" } else { "recordings" };
        let actual = if known > 0 { format!("{actual}, and unknown in {unknown} {recordings}") } else { actual };
        ExpectationResult { is_met, actual, at }
    }
}

/// The value of a total in one replay; none if it is unknown.
pub(super) fn value(claim: &TotalClaim, trace: &Trace) -> Option<Decimal> {
    let count = |count: usize| Decimal::from(count);
    Some(match claim.total.kind {
        TotalKind::TokensSaved => Decimal::try_from_i128_with_scale(trace.saved(), 0).unwrap_or(Decimal::MAX),
        TotalKind::CostSaved => {
            return trace.money.priced.is_known().then(|| trace.money.saved().round_dp(COST_DIGITS));
        }
        TotalKind::Summaries => count(trace.summaries),
        TotalKind::Injections => count(trace.injections),
        TotalKind::Edits => count(trace.rules.iter().map(|rule| rule.edits).sum()),
        TotalKind::Notices => count(trace.notices().count()),
        TotalKind::Calls => count(trace.call_count() - trace.after_stop),
        TotalKind::Runs => count(trace.runs),
    })
}

/// The verdict on a value; one that is unknown meets no expectation.
pub(super) fn verdict(claim: &TotalClaim, value: Option<Decimal>) -> ExpectationResult {
    let TotalClaim { total, comparison, amount, .. } = claim;
    let Some(value) = value else {
        let actual = "it is unknown, because the price of the model is unknown".to_owned();
        return ExpectationResult { is_met: false, actual, at: None };
    };
    let actual = format!("it is {}", Value::Number(value).display(Type::Number(total.unit)));
    ExpectationResult { is_met: comparison.holds(value.cmp(amount)), actual, at: None }
}
