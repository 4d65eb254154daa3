//! How far a figure with the policy may be from what the provider would have counted.

use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};
use trimtab_base::quantity::{Decimal, whole};
use trimtab_model::model::MissRate;

use super::compared::Compared;
use super::money::{RuleMoney, StablePrefix};
use super::rule_trace::RuleTrace;
use super::trace::Trace;

/// An error of replays that an interval allows for.
#[derive(Clone, Copy, Debug)]
pub struct ErrorSource {
    /// Its name in output.
    pub name: &'static str,
    /// What it is a share of.
    pub of: &'static str,
    /// How much less than predicted it may be, in thousandths of that.
    pub below: i64,
    /// How much more than predicted it may be, in thousandths of that.
    pub above: i64,
    /// Where the figures come from.
    pub source: &'static str,
}

/// The size of removed content.
static TAKEN: ErrorSource = ErrorSource {
    name: "taken",
    of: "the tokens that edits keep out of calls, and what these cost",
    below: 100,
    above: 100,
    source: "the growth of the context between two calls and the tokens that compactions free, predicted from their texts",
};

/// What the agent reads again.
static READ_AGAIN: ErrorSource = ErrorSource {
    name: "read_again",
    of: "the tokens that edits keep out of calls, and what these cost",
    below: 0,
    above: 70,
    source: "files read in the 20 calls after 70 recorded compactions, compared with the 20 calls before",
};

/// What is read from the prompt cache after an edit.
static PREFIX: ErrorSource = ErrorSource {
    name: "prefix",
    of: "what cache breaks cost",
    below: 100,
    above: 100,
    source: "what the first call after a recorded compaction reads, compared with earlier such calls of the session",
};

/// What is read from the prompt cache after an edit, where no recorded call shows it.
static ASSUMED_PREFIX: ErrorSource = ErrorSource {
    name: "prefix, assumed",
    of: "what cache breaks cost, if no recorded call shows what is read after a change",
    below: 100,
    above: 400,
    source: "recorded clearings, after which 7,000 to 17,000 tokens fewer were read than the system prompt and the tools have",
};

/// Misses of the prompt cache that nothing explains, in recordings without usage.
const fn misses_at(name: &'static str, rate: MissRate) -> ErrorSource {
    ErrorSource {
        name,
        of: "the difference that the policy makes to the cost of a recording without usage",
        below: rate.thousandths,
        above: rate.thousandths,
        source: rate.source,
    }
}

static CLAUDE_MISSES: ErrorSource = misses_at("cache_misses, Claude", MissRate::CLAUDE);
static OPENAI_MISSES: ErrorSource = misses_at("cache_misses, OpenAI", MissRate::OPENAI);
static OTHER_MISSES: ErrorSource = misses_at("cache_misses, others", MissRate::OTHER);

/// All sources of errors, in the order of the documentation.
pub static ERROR_SOURCES: [&ErrorSource; 7] =
    [&TAKEN, &READ_AGAIN, &PREFIX, &ASSUMED_PREFIX, &CLAUDE_MISSES, &OPENAI_MISSES, &OTHER_MISSES];

/// A figure as recorded and with the policy, and how far the ends of its nominal 80% interval are from the latter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimated<T> {
    /// The figure.
    pub figure: Compared<T>,
    /// How much smaller it may be with the policy.
    pub below: T,
    /// How much larger it may be with the policy.
    pub above: T,
}

/// What the errors of a figure are shares of, in the unit of the figure.
///
/// Two replays of one recording have the same errors of the same texts, so that only the difference between their amounts makes
/// the difference between them uncertain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorAmounts {
    /// The content that edits keep out of calls.
    pub taken: Decimal,
    /// The costs of cache breaks.
    pub breaks: Decimal,
    /// The costs of cache breaks where no recorded call shows what is read after a change.
    pub assumed_breaks: Decimal,
    /// What misses of the cache add to the difference that the policy makes to the cost of a recording without usage. The rate
    /// of the provider is applied already.
    pub misses: Decimal,
}

impl ErrorAmounts {
    /// The error amounts of the tokens sent.
    pub fn for_tokens(trace: &Trace) -> Self {
        trace.rules.iter().map(Self::for_rule_tokens).fold(Self::default(), Self::plus)
    }

    /// The error amounts of the cost with a policy, in US dollars.
    pub fn for_cost(trace: &Trace) -> Self {
        let money = &trace.money;
        let of_difference = Self { misses: misses(trace, money.compared.cost - money.total()), ..Self::default() };
        let rules = trace.rules.iter().map(|rule| Self { misses: Decimal::ZERO, ..Self::for_rule_cost(rule, trace) });
        rules.fold(of_difference, Self::plus)
    }

    /// The error amounts of the tokens that a rule keeps out of calls. What it adds is known.
    fn for_rule_tokens(rule: &RuleTrace) -> Self {
        Self { taken: decimal(rule.saved.max(0)), ..Self::default() }
    }

    /// The error amounts of a rule's savings and costs, in US dollars.
    fn for_rule_cost(rule: &RuleTrace, trace: &Trace) -> Self {
        let RuleMoney { saved, cost_caused, .. } = rule.money;
        let misses = misses(trace, sum(saved, -cost_caused));
        let is_assumed = trace.money.stable_prefix == Some(StablePrefix::Assumed);
        let caused = cost_caused.max(Decimal::ZERO);
        let (breaks, assumed_breaks) = if is_assumed { (Decimal::ZERO, caused) } else { (caused, Decimal::ZERO) };
        Self { taken: saved.max(Decimal::ZERO), breaks, assumed_breaks, misses }
    }

    /// The amounts of both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            taken: sum(self.taken, other.taken),
            breaks: sum(self.breaks, other.breaks),
            assumed_breaks: sum(self.assumed_breaks, other.assumed_breaks),
            misses: sum(self.misses, other.misses),
        }
    }

    /// The amounts of the difference to another figure of the same recordings.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let Self { taken, breaks, assumed_breaks, misses } = other;
        self.plus(Self { taken: -taken, breaks: -breaks, assumed_breaks: -assumed_breaks, misses: -misses })
    }

    /// Between which values a saving is expected: where more is sent than predicted, less is saved.
    pub fn ends(self, saved: Decimal) -> [Decimal; 2] {
        let (below, above) = self.errors();
        [sum(saved, -above), sum(saved, below)]
    }

    /// How much less the figure may be, and how much more.
    pub fn errors(self) -> (Decimal, Decimal) {
        let Self { taken, breaks, assumed_breaks, misses } = self;
        let mut errors = (misses.abs(), misses.abs());
        for (source, amount) in
            [(&TAKEN, taken), (&READ_AGAIN, taken), (&PREFIX, breaks), (&ASSUMED_PREFIX, assumed_breaks)]
        {
            // A negative amount swaps the ends.
            let is_less = amount.is_sign_negative();
            let (below, above) = if is_less { (source.above, source.below) } else { (source.below, source.above) };
            let share = |of_thousand: i64| amount.abs() * Decimal::new(of_thousand, 3);
            errors = (sum(errors.0, share(below)), sum(errors.1, share(above)));
        }
        errors
    }
}

/// What misses of the cache add to a difference in cost, if the recording has no usage that shows them.
fn misses(trace: &Trace, difference: Decimal) -> Decimal {
    let rate = MissRate::of_family(trace.pricing.family.as_deref()).thousandths;
    let of_thousand = if trace.counter.usage_points == 0 { rate } else { 0 };
    difference.abs() * Decimal::new(of_thousand, 3)
}

/// A number of tokens that is at most the largest number.
fn decimal(tokens: i128) -> Decimal {
    Decimal::try_from_i128_with_scale(tokens, 0).unwrap_or(Decimal::MAX)
}

/// A sum that is at most the largest number.
fn sum(one: Decimal, other: Decimal) -> Decimal {
    one.checked_add(other).unwrap_or(if one.is_sign_negative() { Decimal::MIN } else { Decimal::MAX })
}

/// The tokens that a policy sends. Errors of several recordings add up, since those of one counter have one direction.
pub(super) fn tokens(trace: &Trace) -> Estimated<u128> {
    let figure = Compared { recorded: trace.compared().sum, policy: trace.after().sum };
    let (below, above) = ErrorAmounts::for_tokens(trace).errors();
    let tokens = |tokens: Decimal| u128::from(whole(tokens));
    Estimated { figure, below: tokens(below).min(figure.policy), above: tokens(above) }
}

/// Returns the cost with a policy of the calls whose price is known, in US dollars, or `None` if there are none.
pub(super) fn cost(trace: &Trace) -> Option<Estimated<Decimal>> {
    let money = &trace.money;
    let figure = Compared { recorded: money.compared.cost, policy: money.total() };
    let (below, above) = ErrorAmounts::for_cost(trace).errors();
    money.priced.is_known().then(|| Estimated { figure, below: below.min(figure.policy), above })
}

/// What a rule saves, with a nominal 80% interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleSaving {
    /// The tokens that it keeps out of calls, less those that it adds.
    pub tokens: [Decimal; 2],
    /// The costs that it saves minus the costs that it causes, in US dollars.
    pub cost: [Decimal; 2],
}

impl RuleSaving {
    /// What a rule of this replay saves.
    pub fn of(rule: &RuleTrace, trace: &Trace) -> Self {
        let net = sum(rule.money.saved, -rule.money.cost_caused);
        Self {
            tokens: ErrorAmounts::for_rule_tokens(rule).ends(decimal(rule.saved)),
            cost: ErrorAmounts::for_rule_cost(rule, trace).ends(net),
        }
    }

    /// What the rule saves in two replays.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let both = |a: [Decimal; 2], b: [Decimal; 2]| [sum(a[0], b[0]), sum(a[1], b[1])];
        Self { tokens: both(self.tokens, other.tokens), cost: both(self.cost, other.cost) }
    }
}

impl<T: Add<Output = T> + Sub<Output = T> + Copy> Estimated<T> {
    /// The least that it may be with the policy.
    pub fn low(self) -> T {
        self.figure.policy - self.below
    }

    /// The most that it may be with the policy.
    pub fn high(self) -> T {
        self.figure.policy + self.above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of the errors.
    const DOCS: &str = include_str!("../../../../docs/accuracy.md");

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
        let amounts = ErrorAmounts { taken: Decimal::ONE_HUNDRED, ..ErrorAmounts::default() };
        assert_eq!(amounts.errors(), (Decimal::TEN, Decimal::from(17)));
        let figure = Compared { recorded: 100_u128, policy: 50 };
        let one = Estimated { figure, below: 5, above: 8 };
        assert_eq!((one.low(), one.high()), (45, 58));
    }
}
