//! Comparison of two replays of one transcript.

use smol_str::SmolStr;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{Call, Money, PricedShare, Trace};

/// The differences between the replays of two policies on one transcript.
#[derive(Clone, Debug)]
pub struct ReplayDifference {
    /// The transcript's id.
    pub id: String,
    /// The number of calls.
    pub calls: usize,
    /// Rules that fired at other calls: the rule, the calls only before, the calls only after.
    pub firings: Vec<(SmolStr, Vec<usize>, Vec<usize>)>,
    /// The number of calls that a stop prevents, before and after.
    pub not_made: (usize, usize),
    /// The first call that is not made, before and after.
    pub stop: (Option<usize>, Option<usize>),
    /// The number of calls that are made with both policies. What follows is about them, as if the stops had not kept anything from
    /// later calls: nobody knows what a stopped run would have needed.
    pub compared: usize,
    /// The calls whose contexts differ in size.
    pub contexts: Vec<usize>,
    /// Tokens over all calls, before and after.
    pub tokens: (u128, u128),
    /// The largest context, before and after.
    pub peak: (u64, u64),
    /// The cost in US dollars of the calls whose price is known, before and after, or `None` if there are none.
    pub cost: Option<(Decimal, Decimal)>,
    /// How much of the recorded calls has a known price.
    pub priced: PricedShare,
}

impl ReplayDifference {
    /// Compares the replays of one transcript under two policies.
    pub fn of(before: &Trace, after: &Trace) -> Self {
        let calls = before.calls.iter().zip(&after.calls).enumerate();
        let in_both: Vec<(usize, [&Call; 2])> =
            calls.filter(|(_, (old, new))| old.made && new.made).map(|(at, (old, new))| (at, [old, new])).collect();
        let sum = |side: usize| in_both.iter().map(|(_, calls)| u128::from(calls[side].charged())).sum::<u128>();
        let stop = |trace: &Trace| trace.calls.iter().position(|call| !call.made);
        let peak = |side: usize| in_both.iter().map(|(_, calls)| calls[side].charged()).max().unwrap_or(0);
        let differs = in_both.iter().filter(|(_, [old, new])| old.charged() != new.charged());
        Self {
            id: after.id.clone(),
            calls: after.calls.len(),
            firings: firings(before, after),
            not_made: (before.after_stop, after.after_stop),
            stop: (stop(before), stop(after)),
            compared: in_both.len(),
            contexts: differs.map(|(at, _)| *at).collect(),
            tokens: (sum(0), sum(1)),
            peak: (peak(0), peak(1)),
            cost: after.money.priced.is_known().then(|| costs([before, after])),
            priced: after.money.priced,
        }
    }

    /// Whether firings, sizes and stops are equal.
    pub fn is_same(&self) -> bool {
        self.firings.is_empty()
            && self.contexts.is_empty()
            && self.stop.0 == self.stop.1
            && self.not_made.0 == self.not_made.1
    }

    /// How many more tokens the second policy sends; negative if fewer.
    pub fn additional_tokens(&self) -> i128 {
        let signed = |sum: u128| i128::try_from(sum).unwrap_or(i128::MAX);
        signed(self.tokens.1) - signed(self.tokens.0)
    }

    /// The amount of difference: tokens first, then firings and calls that only one policy makes.
    pub fn weight(&self) -> (u128, usize) {
        let fired = self.firings.iter().map(|(_, before, after)| before.len() + after.len()).sum::<usize>();
        (self.additional_tokens().unsigned_abs(), fired + self.not_made.0.abs_diff(self.not_made.1))
    }
}

/// What the calls that both policies make cost under each of them: as recorded, less what the policy saves, with its summaries and
/// the calls of the harness.
fn costs(traces: [&Trace; 2]) -> (Decimal, Decimal) {
    let [old, new] = traces.map(|trace| &trace.money);
    let sum = |costs: &mut dyn Iterator<Item = Decimal>| costs.fold(Decimal::ZERO, Decimal::saturating_add);
    let is_in_both = |call: usize| traces.iter().all(|trace| trace.calls.get(call).is_none_or(|call| call.made));
    let harness = |money: &Money| {
        money.after.cost.saturating_sub(sum(&mut money.call_costs.iter().filter_map(|cost| cost.policy)))
    };
    let harness = harness(old).min(harness(new));
    let cost = |money: &Money| {
        let calls = money.call_costs.iter().enumerate().filter(|(call, _)| is_in_both(*call));
        let summaries = money.summary_calls.iter().filter(|(call, _)| is_in_both(*call));
        let calls = calls.map(|(_, cost)| cost.recorded.saturating_sub(cost.saved));
        sum(&mut calls.chain(summaries.map(|(_, cost)| *cost)).chain([harness]))
    };
    (cost(old), cost(new))
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
