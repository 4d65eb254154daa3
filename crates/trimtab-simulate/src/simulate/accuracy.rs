//! How far replays without a policy are from what was recorded.

use trimtab_base::quantity::{Decimal, whole};

use super::errors::{self, Errors};
use super::imitation::{IMITATED_EVENTS, Imitation};
use super::money::CacheCheck;
use super::trace::{ResetCause, Trace};

/// The scale of costs in US dollars.
const NANO: u64 = 1_000_000_000;

/// A quantity that a replay predicts and a recording states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The size of a call.
    Size,
    /// The growth of the context between two calls.
    Growth,
    /// The size of the first call after a reset of the context.
    Reset,
    /// The tokens that a recorded clearing freed.
    Clearing,
    /// The tokens that a recorded compaction freed.
    Compaction,
    /// The cached input of a conversation as a share of its input.
    CacheRead,
    /// The input of a conversation that was written to the cache, as a share of its input.
    CacheWrite,
    /// The cost of a conversation.
    Cost,
    /// The tokens of the calls after a recorded compaction or clearing that is imitated.
    ImitatedTokens,
    /// What these calls cost.
    ImitatedCost,
}

/// Every measure, in the order of reports.
pub static MEASURES: [Measure; 10] = [
    Measure::Size,
    Measure::Growth,
    Measure::Reset,
    Measure::Clearing,
    Measure::Compaction,
    Measure::CacheRead,
    Measure::CacheWrite,
    Measure::Cost,
    Measure::ImitatedTokens,
    Measure::ImitatedCost,
];

impl Measure {
    /// The word in machine-readable output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Growth => "growth",
            Self::Reset => "reset",
            Self::Clearing => "clearing",
            Self::Compaction => "compaction",
            Self::CacheRead => "cache_read",
            Self::CacheWrite => "cache_write",
            Self::Cost => "cost",
            Self::ImitatedTokens => "imitated_tokens",
            Self::ImitatedCost => "imitated_cost",
        }
    }

    /// What is measured.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Size => "Size of a call",
            Self::Growth => "Growth between two calls, if at least 1,000 tokens",
            Self::Reset => "Size of the first call after a compaction or a cleared context",
            Self::Clearing => "Tokens freed by clearing tool results",
            Self::Compaction => "Tokens freed by a compaction",
            Self::CacheRead => "Share of the input that is read from the cache, by conversation, in percentage points",
            Self::CacheWrite => {
                "Share of the input that is written to the cache, by conversation, in percentage points"
            }
            Self::Cost => "Cost of a conversation",
            Self::ImitatedTokens => "Tokens of the calls after an imitated compaction or clearing",
            Self::ImitatedCost => "Cost of the calls after an imitated compaction or clearing",
        }
    }

    /// What is counted.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Size | Self::Growth | Self::Reset => "calls",
            Self::Clearing => "clearings",
            Self::Compaction => "compactions",
            Self::CacheRead | Self::CacheWrite | Self::Cost => "conversations",
            Self::ImitatedTokens | Self::ImitatedCost => "events",
        }
    }
}

/// How many predictions have the recorded figure within their interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of imitated events.
    pub events: usize,
    /// The events whose recorded figure is within the interval.
    pub held: usize,
}

/// The imitated events whose tokens, and those whose cost, are predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImitatedCount {
    /// Of tokens and of cost.
    pub figures: [Coverage; 2],
}

impl ImitatedCount {
    fn with(self, other: Self) -> Self {
        let both = |at: usize| {
            let (one, other) = (self.figures[at], other.figures[at]);
            Coverage { events: one.events + other.events, held: one.held + other.held }
        };
        Self { figures: [both(0), both(1)] }
    }
}

/// The errors of replays without a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// The number of conversations.
    pub conversations: usize,
    /// The number of calls with usage.
    pub calls: usize,
    /// The number of calls of conversations in which something was cached.
    pub cached_calls: usize,
    /// How many of these read less than half of what the rules of the cache give.
    pub cache_misses: usize,
    /// The imitated events of each of [`IMITATED_EVENTS`].
    pub imitated: [ImitatedCount; IMITATED_EVENTS.len()],
    errors: [Errors; MEASURES.len()],
}

impl Accuracy {
    /// The errors of one replay without a policy.
    pub fn of(trace: &Trace) -> Self {
        let mut accuracy = Self { conversations: 1, calls: trace.predictions.len(), ..Self::default() };
        accuracy.add_calls(trace);
        accuracy.add_clearings(trace);
        accuracy.add_compactions(trace);
        accuracy.add_money(&trace.money.check);
        accuracy
    }

    /// Adds the errors of other replays.
    pub fn merge(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.calls += other.calls;
        self.cached_calls += other.cached_calls;
        self.cache_misses += other.cache_misses;
        for (mine, other) in self.imitated.iter_mut().zip(other.imitated) {
            *mine = mine.with(other);
        }
        for (mine, other) in self.errors.iter_mut().zip(other.errors) {
            mine.merge(other);
        }
    }

    /// Adds the errors of the predictions after a recorded event.
    pub fn add_imitation(&mut self, imitation: &Imitation) {
        let parts =
            [(Measure::ImitatedTokens, Some(imitation.tokens), 1), (Measure::ImitatedCost, imitation.cost, NANO)];
        for (at, (measure, predicted, scale)) in parts.into_iter().enumerate() {
            let Some(predicted) = predicted else { continue };
            let scaled = |figure: Decimal| figure.checked_mul(Decimal::from(scale)).map_or(u64::MAX, whole);
            self.add(measure, scaled(predicted.predicted), scaled(predicted.recorded));
            let counts = &mut self.imitated[imitation.event as usize].figures[at];
            counts.events += 1;
            counts.held += usize::from(predicted.is_held());
        }
    }

    /// How many imitated events have tokens and a cost within the interval of the prediction.
    pub fn held(&self) -> ImitatedCount {
        self.imitated.into_iter().fold(ImitatedCount::default(), ImitatedCount::with)
    }

    /// The errors of a measure.
    pub fn errors(&self, measure: Measure) -> &Errors {
        &self.errors[measure as usize]
    }

    fn add(&mut self, measure: Measure, predicted: impl Into<i128>, recorded: impl Into<i128>) {
        let recorded = recorded.into();
        self.errors[measure as usize].add(predicted.into(), recorded, recorded);
    }

    fn add_calls(&mut self, trace: &Trace) {
        for prediction in &trace.predictions {
            let measure = if prediction.is_after_reset { Measure::Reset } else { Measure::Size };
            if let Some(size) = prediction.size {
                self.add(measure, size, prediction.recorded);
            }
        }
        self.errors[Measure::Growth as usize].merge(errors::of_growth(&trace.predictions));
    }

    fn add_clearings(&mut self, trace: &Trace) {
        for clearing in trace.clearings.iter().filter(|clearing| !clearing.inferred) {
            if let Some(measured) = clearing.measured {
                self.add(Measure::Clearing, clearing.estimated, measured);
            }
        }
    }

    fn add_compactions(&mut self, trace: &Trace) {
        let compactions = trace.resets.iter().filter(|reset| matches!(reset.cause, ResetCause::Compaction(_)));
        for reset in compactions {
            let at = trace.predictions.partition_point(|prediction| prediction.call < reset.call);
            let after = trace.predictions.get(at).filter(|after| after.call == reset.call);
            let before = at.checked_sub(1).and_then(|at| trace.predictions.get(at));
            if let (Some(before), Some(after)) = (before, after)
                && let Some(size) = after.size
            {
                let freed = |size: u64| i128::from(before.recorded) - i128::from(size);
                self.add(Measure::Compaction, freed(size), freed(after.recorded));
            }
        }
    }

    /// Compares the shares of cached input, and the cost, of a conversation in which something was cached.
    fn add_money(&mut self, check: &CacheCheck) {
        let (recorded, modelled) = (check.recorded, check.modelled);
        if recorded.usage.cache_read == 0 && recorded.usage.cache_write == 0 {
            return;
        }
        (self.cached_calls, self.cache_misses) = (check.calls, check.misses);
        let input = i128::from(recorded.usage.context());
        let share = |errors: &mut Errors, modelled: u64, recorded: u64| {
            errors.add(modelled.into(), recorded.into(), input);
        };
        share(&mut self.errors[Measure::CacheRead as usize], modelled.usage.cache_read, recorded.usage.cache_read);
        if recorded.usage.cache_write > 0 {
            share(
                &mut self.errors[Measure::CacheWrite as usize],
                modelled.usage.cache_write,
                recorded.usage.cache_write,
            );
        }
        let nano = |cost: Decimal| cost.checked_mul(Decimal::from(NANO)).map_or(u64::MAX, whole);
        self.add(Measure::Cost, nano(modelled.cost), nano(recorded.cost));
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Usage;

    use super::*;
    use crate::simulate::money::Bill;

    #[test]
    fn costs_of_any_size_have_an_error() {
        let mut accuracy = Accuracy::default();
        let bill =
            Bill { cost: Decimal::MAX, usage: Usage { cache_read: u64::MAX, input: u64::MAX, ..Usage::default() } };
        accuracy.add_money(&CacheCheck { recorded: bill, modelled: Bill::default(), ..CacheCheck::default() });
        assert_eq!(accuracy.errors(Measure::Cost).total(), Some(Decimal::NEGATIVE_ONE));
    }

    #[test]
    fn every_measure_has_its_own_place() {
        let places: Vec<usize> = MEASURES.iter().map(|measure| *measure as usize).collect();
        assert_eq!(places, (0..MEASURES.len()).collect::<Vec<_>>());
    }
}
