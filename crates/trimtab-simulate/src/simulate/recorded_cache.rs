//! What a recording's own calls read from the prompt cache, and why some read less than the call before had left there.

mod calls;
mod repeated;

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::conversation::Usage;
use trimtab_base::quantity::Decimal;
use trimtab_model::model::{Models, Prices};
use trimtab_recordings::transcript::Transcript;

use self::calls::{CachedCall, CachedCalls};
use self::repeated::Repeated;
use super::cache_cause::CacheCause;

/// The least tokens that a call must have read less for a cache break: the smallest prefix that most providers cache.
const MIN_LOSS: u64 = 1024;

/// The least share of what had been left in the cache, as one part of this many: the last messages of a request may be after
/// the last breakpoint or step of the provider.
const MIN_LOSS_PART: u64 = 10;

/// What the calls of a recording read from the prompt cache of the provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedCache {
    /// The calls before which something had been left in the cache.
    pub due: CacheDue,
    /// The calls that read clearly less than that, in order.
    pub breaks: Vec<RecordedBreak>,
    /// How reliable the cache of each model family was.
    pub families: BTreeMap<SmolStr, CacheReliability>,
}

/// What could have been read from the cache, and what was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheDue {
    /// The calls before which something had been left in the cache.
    pub calls: usize,
    /// The tokens that they had in common with the call before, as far as these had been left there.
    pub tokens: u64,
    /// How many of them were read.
    pub read: u64,
    /// How many of them were not read at calls that read so nearly everything that nothing broke.
    pub remainder: u64,
}

/// A call that read clearly less than the call before it had left in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedBreak {
    /// The call, counted from 0.
    pub call: usize,
    /// Why.
    pub cause: CacheCause,
    /// The seconds since the call before, or `None` if they are unknown.
    pub idle: Option<u64>,
    /// The tokens that are billed again: they had been left in the cache and were sent again, but not read.
    pub tokens: u64,
    /// What that costs more than reading them, in US dollars, or `None` if the price is unknown.
    pub cost: Option<Decimal>,
}

/// The calls of a model family that should have read all that the call before had left in the cache: nothing recorded
/// prevented it, and the recorded times are within the lifetime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheReliability {
    /// Their number.
    pub calls: usize,
    /// How many of them read clearly less.
    pub missed_calls: usize,
    /// The tokens that should have been read.
    pub tokens: u64,
    /// How many of them were not read at these calls.
    pub missed_tokens: u64,
}

impl RecordedCache {
    /// The reads of a recording. A recording without usage, or in which nothing was cached, has none.
    pub fn of(transcript: &Transcript, models: &Models) -> Self {
        let mut all = Self::default();
        let mut repeated = Repeated::new(transcript, models);
        for call in CachedCalls::of(transcript, models) {
            all.add(&call, &mut repeated);
        }
        all
    }

    fn add(&mut self, call: &CachedCall<'_>, repeated: &mut Repeated<'_>) {
        let CachedCall { usage, left, cause, .. } = *call;
        let is_broken = is_clear(left.saturating_sub(usage.cache_read), left);
        let context = usage.context();
        let due = if is_broken { repeated.tokens(call).min(left) } else { left }.min(context);
        let read = due.min(usage.cache_read);
        let missed = due - read;
        self.due.calls += 1;
        self.due.tokens = self.due.tokens.saturating_add(due);
        self.due.read = self.due.read.saturating_add(read);
        if cause == CacheCause::Unexplained {
            let family = self.families.entry(call.family.clone()).or_default();
            family.calls += 1;
            family.tokens = family.tokens.saturating_add(due);
            family.missed_calls += usize::from(is_broken);
            family.missed_tokens = family.missed_tokens.saturating_add(if is_broken { missed } else { 0 });
        }
        if is_broken {
            let cost = call.prices.and_then(|prices| surcharge(prices, usage, missed));
            self.breaks.push(RecordedBreak { call: call.number, cause, idle: call.idle, tokens: missed, cost });
        } else {
            self.due.remainder = self.due.remainder.saturating_add(missed);
        }
    }
}

impl CacheDue {
    /// The sum of two.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            tokens: self.tokens.saturating_add(other.tokens),
            read: self.read.saturating_add(other.read),
            remainder: self.remainder.saturating_add(other.remainder),
        }
    }
}

impl CacheReliability {
    /// The sum of two.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            missed_calls: self.missed_calls + other.missed_calls,
            tokens: self.tokens.saturating_add(other.tokens),
            missed_tokens: self.missed_tokens.saturating_add(other.missed_tokens),
        }
    }

    /// Returns the share of the calls that missed, or `None` without calls.
    pub fn missed_call_share(self) -> Option<Decimal> {
        Decimal::from(self.missed_calls).checked_div(Decimal::from(self.calls))
    }

    /// Returns the share of the tokens that were missed, or `None` without tokens.
    pub fn missed_token_share(self) -> Option<Decimal> {
        Decimal::from(self.missed_tokens).checked_div(Decimal::from(self.tokens))
    }
}

/// Whether too many of the cached tokens are missing for an inaccuracy of the usage.
fn is_clear(missing: u64, of: u64) -> bool {
    missing >= MIN_LOSS && missing.saturating_mul(MIN_LOSS_PART) >= of
}

/// What a call costs more because some tokens were written to the cache, or were uncached input, instead of being read.
fn surcharge(prices: Prices, usage: Usage, tokens: u64) -> Option<Decimal> {
    let written = tokens.min(usage.cache_write);
    let uncached = (tokens - written).min(usage.input);
    let hourly = u128::from(usage.hour_write.min(usage.cache_write)) * u128::from(usage.cache_write - written);
    let hourly = hourly.checked_div(u128::from(usage.cache_write)).unwrap_or(0);
    let read = Usage {
        input: usage.input - uncached,
        cache_read: usage.cache_read.saturating_add(written).saturating_add(uncached),
        cache_write: usage.cache_write - written,
        hour_write: u64::try_from(hourly).unwrap_or(u64::MAX),
        ..usage
    };
    prices.cost(usage)?.checked_sub(prices.cost(read)?)
}

#[cfg(test)]
mod tests;
