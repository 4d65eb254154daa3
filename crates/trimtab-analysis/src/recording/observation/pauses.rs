//! Pauses between calls in which the provider's cache expired.

use std::ops::AddAssign;

use rust_decimal::prelude::ToPrimitive;
use trimtab_base::quantity::Value;
use trimtab_base::source::{SourceId, Span};
use trimtab_language::check::Reading;
use trimtab_language::fact::{FACTS, Topic};
use trimtab_simulate::simulate::Trace;

/// How long a provider that has published nothing else keeps an unused prefix, in seconds.
const USUAL_LIFETIME: u64 = 300;

/// Pauses that were longer than the provider keeps an unused prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// Their number.
    pub count: usize,
    /// The longest one in seconds.
    pub longest: u64,
    /// The tokens of the contexts that were sent after them.
    pub tokens: u64,
    /// The longest time in seconds for which a provider keeps an unused prefix, over the recordings with pauses.
    pub lifetime: u64,
}

/// The fact that says how long the agent has been idle, to be observed at each call.
pub(super) fn pause_reading() -> Option<Reading> {
    let fact = FACTS.iter().copied().find(|fact| fact.topic == Topic::Pause)?;
    Some(Reading::new(fact, Vec::new(), Span::new(SourceId(0), 0, 0)))
}

impl Pauses {
    /// The pauses of a replay that observed them.
    pub(super) fn of(trace: &Trace) -> Self {
        let lifetime = trace.cache_lifetime.unwrap_or(USUAL_LIFETIME);
        let mut pauses = Self::default();
        for call in &trace.calls {
            let Some(Some(Value::Number(seconds))) = call.values.first() else { continue };
            let seconds = seconds.to_u64().unwrap_or_default();
            if seconds >= lifetime {
                pauses += Self { count: 1, longest: seconds, tokens: call.before, lifetime };
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
        self.lifetime = self.lifetime.max(other.lifetime);
    }
}
