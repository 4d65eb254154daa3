//! How far a figure with the policy may be from what the provider would have counted.

use std::ops::{Add, Sub};

use super::compared::Compared;
use super::trace::Trace;
use crate::quantity::{Decimal, whole};

/// An error of replays that an interval allows for.
#[derive(Clone, Copy, Debug)]
pub struct ErrorSource {
    /// Its name in output.
    pub name: &'static str,
    /// What it is a share of.
    pub of: &'static str,
    /// How much less than predicted it may be, in thousandths of that.
    pub below: i64,
    /// How much more it may be.
    pub above: i64,
    /// Where the figures come from.
    pub source: &'static str,
}

/// The size of what edits take.
pub(super) static TAKEN: ErrorSource = ErrorSource {
    name: "taken",
    of: "the tokens that edits keep out of calls, and what these cost",
    below: 100,
    above: 100,
    source: "the growth of the context between two calls and the tokens that compactions free, predicted from their texts",
};

/// What the agent reads again.
pub(super) static READ_AGAIN: ErrorSource = ErrorSource {
    name: "read_again",
    of: "the tokens that edits keep out of calls, and what these cost",
    below: 0,
    above: 70,
    source: "files read in the 20 calls after 70 recorded compactions, compared with the 20 calls before",
};

/// What is read from the prompt cache after an edit.
pub(super) static PREFIX: ErrorSource = ErrorSource {
    name: "prefix",
    of: "what breaks of the cache cost",
    below: 100,
    above: 100,
    source: "what the first call after a recorded compaction reads, compared with earlier such calls of the session",
};

/// Misses of the prompt cache that nothing explains, in recordings without usage.
pub(super) static MISSES: ErrorSource = ErrorSource {
    name: "cache_misses",
    of: "the difference that the policy makes to the cost of a recording without usage",
    below: 150,
    above: 150,
    source: "recorded costs, compared with the published rules: 8 to 9% more for Claude, 11 to 27% for OpenAI",
};

/// All sources of errors, in the order of the documentation.
pub static ERROR_SOURCES: [&ErrorSource; 4] = [&TAKEN, &READ_AGAIN, &PREFIX, &MISSES];

/// A figure as recorded and with the policy, and how far the latter may be off: in 80% of cases not further than this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimated<T> {
    /// The figure.
    pub figure: Compared<T>,
    /// How much smaller it may be with the policy.
    pub below: T,
    /// How much larger.
    pub above: T,
}

/// The errors of several sources together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ErrorShares {
    below: Decimal,
    above: Decimal,
}

impl ErrorShares {
    /// The errors of these sources, each of its own amount.
    pub(super) fn of<'a>(amounts: impl IntoIterator<Item = (&'a ErrorSource, Decimal)>) -> Self {
        let mut shares = Self::default();
        for (source, amount) in amounts {
            shares.below += amount * Decimal::new(source.below, 3);
            shares.above += amount * Decimal::new(source.above, 3);
        }
        shares
    }

    /// How much less and how much more.
    pub(super) const fn ends(self) -> (Decimal, Decimal) {
        (self.below, self.above)
    }
}

/// The tokens that a policy sends. Errors of several recordings add up, since those of one counter have one direction.
pub(super) fn tokens(trace: &Trace) -> Estimated<u128> {
    let figure = Compared { recorded: trace.compared().sum, policy: trace.after().sum };
    let taken: i128 = trace.rules.iter().map(|rule| rule.saved.max(0)).sum();
    let taken = Decimal::from_i128_with_scale(taken, 0);
    let (below, above) = ErrorShares::of([(&TAKEN, taken), (&READ_AGAIN, taken)]).ends();
    let tokens = |tokens: Decimal| u128::from(whole(tokens));
    Estimated { figure, below: tokens(below).min(figure.policy), above: tokens(above) }
}

/// The cost with a policy in US dollars; none if a price is unknown.
pub(super) fn cost(trace: &Trace) -> Option<Estimated<Decimal>> {
    let money = &trace.money;
    let figure = Compared { recorded: money.compared.cost, policy: money.total() };
    let rules = || trace.rules.iter().map(|rule| &rule.money);
    let taken: Decimal = rules().map(|rule| rule.saved.max(Decimal::ZERO)).sum();
    let breaks: Decimal = rules().map(|rule| rule.caused.max(Decimal::ZERO)).sum();
    let unrecorded =
        if trace.counter.usage_points == 0 { (figure.recorded - figure.policy).abs() } else { Decimal::ZERO };
    let amounts = [(&TAKEN, taken), (&READ_AGAIN, taken), (&PREFIX, breaks), (&MISSES, unrecorded)];
    let (below, above) = ErrorShares::of(amounts).ends();
    money.is_priced.then(|| Estimated { figure, below: below.min(figure.policy), above })
}

impl<T: Add<Output = T> + Sub<Output = T> + Copy> Estimated<T> {
    /// The least that it may be with the policy.
    pub fn low(self) -> T {
        self.figure.policy - self.below
    }

    /// The most.
    pub fn high(self) -> T {
        self.figure.policy + self.above
    }

    /// The sum of two.
    pub(super) fn with(self, other: Self) -> Self {
        let figure = self.figure.with(other.figure);
        Self { figure, below: self.below + other.below, above: self.above + other.above }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of the errors.
    const DOCS: &str = include_str!("../../docs/accuracy.md");

    #[test]
    fn the_documentation_lists_every_error() {
        for source in ERROR_SOURCES {
            let percent = |share: i64| format!("{}%", share / 10);
            let [name, of, text] = [source.name, source.of, source.source];
            let row = format!("| `{name}` | {of} | {} | {} | {text} |", percent(source.below), percent(source.above));
            assert!(DOCS.contains(&row), "{row}");
        }
        assert_eq!(DOCS.matches("| `taken` |").count(), 1);
    }

    #[test]
    fn errors_of_sources_add_up() {
        let hundred = Decimal::ONE_HUNDRED;
        let (below, above) = ErrorShares::of([(&TAKEN, hundred), (&READ_AGAIN, hundred)]).ends();
        assert_eq!((below, above), (Decimal::TEN, Decimal::from(17)));
        let figure = Compared { recorded: 100_u128, policy: 50 };
        let one = Estimated { figure, below: 5, above: 8 };
        assert_eq!((one.low(), one.high(), one.with(one).high()), (45, 58, 116));
    }
}
