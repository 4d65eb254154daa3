//! Comparison of two replays of one transcript.

use smol_str::SmolStr;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{PricedShare, Trace};

/// The differences between the replays of two policies on one transcript.
#[derive(Clone, Debug)]
pub struct ReplayDifference {
    /// The transcript's id.
    pub id: String,
    /// The number of calls.
    pub calls: usize,
    /// Rules that fired at other calls: the rule, the calls only before, the calls only after.
    pub firings: Vec<(SmolStr, Vec<usize>, Vec<usize>)>,
    /// The calls whose contexts differ in size.
    pub contexts: Vec<usize>,
    /// Tokens over all calls, before and after.
    pub tokens: (u128, u128),
    /// The largest context, before and after.
    pub peak: (u64, u64),
    /// The cost in US dollars of the calls whose price is known, before and after; none if there are none.
    pub cost: Option<(Decimal, Decimal)>,
    /// How much of the recorded calls has a known price.
    pub priced: PricedShare,
    /// The first call that is not made, before and after.
    pub stop: (Option<usize>, Option<usize>),
}

impl ReplayDifference {
    /// Compares the replays of one transcript under two policies.
    pub fn of(before: &Trace, after: &Trace) -> Self {
        let (old, new) = (before.after(), after.after());
        let sizes = before.calls.iter().zip(&after.calls).enumerate();
        let differs = sizes.filter(|(_, (old, new))| (old.after, old.made) != (new.after, new.made));
        let stop = |trace: &Trace| trace.calls.iter().position(|call| !call.made);
        Self {
            id: after.id.clone(),
            calls: after.calls.len(),
            firings: firings(before, after),
            contexts: differs.map(|(at, _)| at).collect(),
            tokens: (old.sum, new.sum),
            peak: (old.peak, new.peak),
            cost: after.money.priced.is_known().then(|| (before.money.total(), after.money.total())),
            priced: after.money.priced,
            stop: (stop(before), stop(after)),
        }
    }

    /// Whether firings and sizes are equal.
    pub const fn is_same(&self) -> bool {
        self.firings.is_empty() && self.contexts.is_empty()
    }

    /// How many more tokens the second policy sends; negative if fewer.
    pub fn additional_tokens(&self) -> i128 {
        let signed = |sum: u128| i128::try_from(sum).unwrap_or(i128::MAX);
        signed(self.tokens.1) - signed(self.tokens.0)
    }

    /// The amount of difference: tokens first, then firings.
    pub fn weight(&self) -> (u128, usize) {
        let fired = self.firings.iter().map(|(_, before, after)| before.len() + after.len()).sum();
        (self.additional_tokens().unsigned_abs(), fired)
    }
}

/// The rules that fired at other calls, in the order of the second policy, removed rules last.
fn firings(before: &Trace, after: &Trace) -> Vec<(SmolStr, Vec<usize>, Vec<usize>)> {
    let calls = |trace: &Trace, name: &str| {
        trace.rules.iter().find(|rule| rule.name == name).map(|rule| rule.calls.clone()).unwrap_or_default()
    };
    let removed = before.rules.iter().filter(|old| !after.rules.iter().any(|new| new.name == old.name));
    let names = after.rules.iter().chain(removed).map(|rule| rule.name.clone());
    let mut all = Vec::new();
    for name in names {
        let (old, new) = (calls(before, &name), calls(after, &name));
        let only = |a: &[usize], b: &[usize]| a.iter().filter(|call| !b.contains(call)).copied().collect::<Vec<_>>();
        let (removed, added) = (only(&old, &new), only(&new, &old));
        if !removed.is_empty() || !added.is_empty() {
            all.push((name, removed, added));
        }
    }
    all
}
