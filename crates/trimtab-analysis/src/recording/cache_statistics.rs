//! What recordings read from the prompt cache, and what its breaks cost, summed over transcripts.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use smol_str::SmolStr;
use trimtab_simulate::simulate::{CacheCause, CacheDue, CacheReliability, RecordedBreak, RecordedCache};

use super::cost_sum::CostSum;

/// What recordings read from the prompt cache, and what its breaks cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// What could have been read, and what was.
    pub due: CacheDue,
    /// The breaks by their cause.
    pub causes: BTreeMap<CacheCause, BreakSum>,
    /// How reliable the cache of each model family was.
    pub families: BTreeMap<SmolStr, CacheReliability>,
}

/// Cache breaks together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BreakSum {
    /// Their number, and what they cost.
    pub costs: CostSum,
    /// The tokens that were billed again.
    pub tokens: u64,
}

impl CacheStatistics {
    /// Those of one recording.
    pub fn of(recorded: &RecordedCache) -> Self {
        let mut all = Self { due: recorded.due, families: recorded.families.clone(), ..Self::default() };
        for one in &recorded.breaks {
            all.causes.entry(one.cause).or_default().add(one);
        }
        all
    }

    /// The breaks of the causes that can be avoided.
    pub fn avoidable(&self) -> BreakSum {
        self.sum(CacheCause::is_avoidable)
    }

    /// All breaks.
    pub fn total(&self) -> BreakSum {
        self.sum(|_| true)
    }

    fn sum(&self, includes: fn(CacheCause) -> bool) -> BreakSum {
        let included = self.causes.iter().filter(|(cause, _)| includes(**cause));
        included.fold(BreakSum::default(), |sum, (_, one)| sum.with(*one))
    }
}

impl BreakSum {
    fn add(&mut self, one: &RecordedBreak) {
        *self = self.with(Self { costs: CostSum::of(one.cost), tokens: one.tokens });
    }

    /// The sum of two.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { costs: self.costs.with(other.costs), tokens: self.tokens.saturating_add(other.tokens) }
    }
}

impl AddAssign<&Self> for CacheStatistics {
    fn add_assign(&mut self, other: &Self) {
        self.due = self.due.with(other.due);
        for (cause, sum) in &other.causes {
            let own = self.causes.entry(*cause).or_default();
            *own = own.with(*sum);
        }
        for (family, reads) in &other.families {
            let own = self.families.entry(family.clone()).or_default();
            *own = own.with(*reads);
        }
    }
}
