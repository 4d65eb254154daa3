//! Totals of replays: expectations on one recording, and on all recordings together.

use trimtab_base::quantity::{Decimal, Type, Unit, Value};
use trimtab_language::check::{ExpectationKind, TotalClaim, TotalKind};
use trimtab_simulate::simulate::Trace;

use super::observer::ExpectationResult;

/// An expectation on the total over all recordings, and the total so far.
#[derive(Clone, Copy, Debug)]
pub struct SummedExpectation {
    claim: TotalClaim,
    value: Decimal,
}

impl SummedExpectation {
    /// Returns the expectation before any recording, or `None` if the claim is about each recording.
    pub fn of(claim: &ExpectationKind) -> Option<Self> {
        match claim {
            ExpectationKind::Total(claim) if claim.is_over_all => Some(Self { claim: *claim, value: Decimal::ZERO }),
            _ => None,
        }
    }

    /// Adds a replay.
    pub fn add(&mut self, trace: &Trace) {
        self.add_value(value(&self.claim, trace));
    }

    /// Adds the total of several replays.
    pub fn add_value(&mut self, value: Decimal) {
        self.value = self.value.checked_add(value).unwrap_or(Decimal::MAX);
    }

    /// The total so far.
    pub const fn value(&self) -> Decimal {
        self.value
    }

    /// The verdict on the total so far.
    pub fn verdict(&self) -> ExpectationResult {
        verdict(&self.claim, self.value)
    }
}

/// The value of a total in one replay.
pub(super) fn value(claim: &TotalClaim, trace: &Trace) -> Decimal {
    let count = |count: usize| Decimal::from(count);
    match claim.total.kind {
        TotalKind::TokensSaved => Decimal::try_from_i128_with_scale(trace.saved(), 0).unwrap_or(Decimal::MAX),
        TotalKind::Summaries => count(trace.summaries),
        TotalKind::Injections => count(trace.injections),
        TotalKind::Edits => count(trace.rules.iter().map(|rule| rule.edits).sum()),
        TotalKind::Notices => count(trace.notices.len()),
        TotalKind::Calls => count(trace.call_count() - trace.after_stop),
        TotalKind::Runs => count(trace.runs),
    }
}

/// The verdict on a value.
pub(super) fn verdict(claim: &TotalClaim, value: Decimal) -> ExpectationResult {
    let TotalClaim { total, comparison, amount, .. } = claim;
    let unit: Unit = total.unit;
    let actual = format!("it is {}", Value::Number(value).display(Type::Number(unit)));
    ExpectationResult { is_met: comparison.holds(value.cmp(amount)), actual, at: None }
}
