//! Pauses between calls in which the provider's cache expired.

use std::ops::AddAssign;

use rust_decimal::prelude::ToPrimitive;
use trimtab_base::quantity::Value;
use trimtab_base::source::{SourceId, Span};
use trimtab_language::check::Reading;
use trimtab_language::fact::{FACTS, Topic};
use trimtab_simulate::simulate::Call;

/// The least seconds of a pause. Where nothing is cached, every call would follow one.
const LEAST: u64 = 60;

/// Pauses in which the provider dropped the cached prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// Their number.
    pub count: usize,
    /// The longest one in seconds.
    pub longest: u64,
    /// The tokens of the contexts that were sent after them.
    pub tokens: u64,
}

/// The facts about the time since the last reply, to be observed at each call: how long it is, and whether the cache is warm.
pub(super) fn pause_readings() -> Vec<Reading> {
    let facts = FACTS.iter().copied().filter(|fact| fact.topic == Topic::Pause && fact.parameters.is_empty());
    facts.map(|fact| Reading::new(fact, Vec::new(), Span::new(SourceId(0), 0, 0))).collect()
}

impl Pauses {
    /// The pauses before the calls of a replay that observed them.
    pub(super) fn of(calls: &[Call]) -> Self {
        let mut pauses = Self::default();
        for call in calls {
            let values = || call.values.iter().flatten();
            let seconds = values().find_map(|value| match value {
                Value::Number(seconds) => seconds.to_u64(),
                _ => None,
            });
            let is_cold = values().any(|value| *value == Value::Bool(false));
            if let Some(seconds) = seconds.filter(|seconds| is_cold && *seconds >= LEAST) {
                pauses += Self { count: 1, longest: seconds, tokens: call.before };
            }
        }
        pauses
    }
}

impl AddAssign for Pauses {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.longest = self.longest.max(other.longest);
        self.tokens = self.tokens.saturating_add(other.tokens);
    }
}
