//! Two replays of one transcript held against each other.

use smol_str::SmolStr;

use crate::simulate::Trace;

/// What two policies did on one transcript.
#[derive(Clone, Debug)]
pub struct Replays {
    /// The transcript's id.
    pub id: String,
    /// How many calls it has.
    pub calls: usize,
    /// Rules that fired at other calls: the rule, the calls only before, the calls only after.
    pub firings: Vec<(SmolStr, Vec<usize>, Vec<usize>)>,
    /// The calls whose contexts have another size.
    pub contexts: Vec<usize>,
    /// Tokens over all calls, before and after.
    pub tokens: (u128, u128),
    /// The largest context, before and after.
    pub peak: (u64, u64),
    /// The first call that is not made, before and after.
    pub stop: (Option<usize>, Option<usize>),
}

impl Replays {
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
            stop: (stop(before), stop(after)),
        }
    }

    /// Whether the policies did the same here, as far as firings and sizes tell.
    pub const fn is_same(&self) -> bool {
        self.firings.is_empty() && self.contexts.is_empty()
    }

    /// Tokens that the second policy sends more; fewer when negative.
    pub fn more(&self) -> i128 {
        let signed = |sum: u128| i128::try_from(sum).unwrap_or(i128::MAX);
        signed(self.tokens.1) - signed(self.tokens.0)
    }

    /// How much differs: tokens first, then firings.
    pub fn weight(&self) -> (u128, usize) {
        let fired = self.firings.iter().map(|(_, before, after)| before.len() + after.len()).sum();
        (self.more().unsigned_abs(), fired)
    }
}

/// The rules that fired at other calls, in the order of the second policy, those that are gone last.
fn firings(before: &Trace, after: &Trace) -> Vec<(SmolStr, Vec<usize>, Vec<usize>)> {
    let calls = |trace: &Trace, name: &str| {
        trace.rules.iter().find(|rule| rule.name == name).map(|rule| rule.calls.clone()).unwrap_or_default()
    };
    let gone = before.rules.iter().filter(|old| !after.rules.iter().any(|new| new.name == old.name));
    let names = after.rules.iter().chain(gone).map(|rule| rule.name.clone());
    let mut all = Vec::new();
    for name in names {
        let (old, new) = (calls(before, &name), calls(after, &name));
        let only = |a: &[usize], b: &[usize]| a.iter().filter(|call| !b.contains(call)).copied().collect::<Vec<_>>();
        let (lost, won) = (only(&old, &new), only(&new, &old));
        if !lost.is_empty() || !won.is_empty() {
            all.push((name, lost, won));
        }
    }
    all
}
