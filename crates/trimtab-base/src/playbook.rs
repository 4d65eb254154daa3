//! The playbook of an agent: strategies that it has learned, with counts of how they turned out.
//!
//! A [`Playbook`] changes only by [`Delta`]s and by [`Playbook::prune`]. A [`Reflector`] distils deltas from the calls of
//! one reply. The module knows no conversation, no policy and no clock: times are given by the caller, and a playbook is
//! read from a text and written to one.

mod batch;
mod citation;
mod delta;
mod file;
mod reflector;
mod selection;
mod strategy;

use serde_json::{Map, Value as Json};

use crate::quantity::Decimal;
pub use batch::{ToolBatch, ToolUse};
pub use delta::{Applied, Delta, Ignored};
pub use file::{PlaybookError, SkippedStrategy};
pub use reflector::{Reflector, RuleReflector};
pub use strategy::{Strategy, StrategyId, Tag, Timestamp};

/// How many strategies a playbook holds at most.
pub const MAX_STRATEGIES: usize = 1000;

/// How many strategies a request contains if nothing else is said.
pub const DEFAULT_SELECTION: u32 = 30;

/// The effectiveness below which [`Playbook::prune`] removes strategies: -0.3.
const PRUNE_THRESHOLD: Decimal = Decimal::from_parts(3, 0, 0, true, 1);

/// How often a strategy must have helped or harmed before it can be pruned.
const MIN_PRUNE_COUNT: u64 = 3;

/// Strategies in the order in which they were added, at most 1,000.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playbook {
    strategies: Vec<Strategy>,
    /// The number in the next id.
    next: u64,
    /// Unknown keys of the file that it was read from.
    extra: Map<String, Json>,
}

impl Playbook {
    /// The strategies in the order in which they were added.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    /// The number of strategies.
    pub const fn len(&self) -> usize {
        self.strategies.len()
    }

    /// Whether it has no strategies.
    pub const fn is_empty(&self) -> bool {
        self.strategies.is_empty()
    }

    /// The strategy with this id.
    pub fn get(&self, id: &StrategyId) -> Option<&Strategy> {
        self.strategies.iter().find(|strategy| strategy.id == *id)
    }

    /// Removes strategies that have helped or harmed at least three times and whose effectiveness is below -0.3. Returns their
    /// ids.
    pub fn prune(&mut self) -> Vec<StrategyId> {
        let is_harmful = |strategy: &Strategy| {
            strategy.helpful.saturating_add(strategy.harmful) >= MIN_PRUNE_COUNT && strategy.rate() < PRUNE_THRESHOLD
        };
        self.strategies.extract_if(.., |strategy| is_harmful(strategy)).map(|strategy| strategy.id).collect()
    }
}

#[cfg(test)]
mod tests;
