//! How long the provider keeps what the last request left in its prompt cache.

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Usage};
use trimtab_model::model::Caching;

use super::environment::Environment;

/// How long the provider keeps what the last request left in its prompt cache, by its rules and the recorded usage.
#[derive(Clone, Debug, Default)]
pub(super) struct CacheLifetime {
    /// The model of the last call.
    model: Option<SmolStr>,
    caching: Option<Caching>,
    /// Whether a call has written to a cache that counts writes.
    writes: bool,
    /// Whether most of what was last written is kept for an hour.
    is_hourly: bool,
    seconds: Option<u64>,
}

impl CacheLifetime {
    /// Returns the time in seconds, or `None` if nothing is cached.
    pub(super) const fn seconds(&self) -> Option<u64> {
        self.seconds
    }

    /// Records the reply to a call of the environment's model. A call without usage counts as cached.
    pub(super) fn record_reply(&mut self, reply: &Message, environment: &Environment) {
        let usage = reply.usage.filter(|usage| usage.context() > 0);
        if let Some(usage) = usage.filter(|usage| usage.cache_write > 0) {
            self.writes = true;
            self.is_hourly = usage.hour_write.saturating_mul(2) > usage.cache_write;
        }
        if environment.model != self.model {
            self.model.clone_from(&environment.model);
            let model = self.model.as_deref().and_then(|id| environment.choice.models.find(id));
            self.caching = model.and_then(|model| model.caching);
        }
        self.seconds = self
            .caching(usage, environment)
            .filter(|caching| usage.is_none_or(|usage| leaves(*caching, usage)))
            .map(|caching| if self.is_hourly && caching.counts_writes { Caching::HOUR } else { caching.lifetime });
    }

    /// Returns the caching rules of the provider, or `None` if it caches nothing. Recorded cache usage counts as
    /// caching even if the model table says that the model has none.
    fn caching(&self, usage: Option<Usage>, environment: &Environment) -> Option<Caching> {
        let was_cached = usage.is_some_and(|usage| usage.cache_read > 0 || usage.cache_write > 0);
        let is_unknown = || self.model.as_deref().is_none_or(|id| environment.choice.models.find(id).is_none());
        self.caching.or_else(|| (was_cached || is_unknown()).then_some(Caching::unknown(self.writes)))
    }
}

/// Whether a call with this usage leaves anything in the cache.
const fn leaves(caching: Caching, usage: Usage) -> bool {
    if caching.counts_writes {
        usage.cache_read > 0 || usage.cache_write > 0
    } else {
        usage.context() >= caching.minimum
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Role;

    use super::*;

    fn lifetimes(calls: &[(&str, [u64; 4])]) -> Vec<Option<u64>> {
        let mut cache = CacheLifetime::default();
        let lifetime = |(model, [input, cache_read, cache_write, hour_write]): &(&str, [u64; 4])| {
            let usage = Usage {
                input: *input,
                cache_read: *cache_read,
                cache_write: *cache_write,
                hour_write: *hour_write,
                ..Usage::default()
            };
            let reply = Message { usage: Some(usage), ..Message::text(Role::Assistant, "x") };
            let model = Some(*model).filter(|model| !model.is_empty()).map(SmolStr::from);
            cache.record_reply(&reply, &Environment { model, ..Environment::default() });
            cache.seconds()
        };
        calls.iter().map(lifetime).collect()
    }

    #[test]
    fn a_prefix_lives_as_long_as_it_was_written_for() {
        let claude = "claude-sonnet-4-5";
        let calls =
            [(claude, [9, 0, 900, 0]), (claude, [9, 900, 500, 400]), (claude, [9, 1400, 0, 0]), (claude, [9, 0, 0, 0])];
        assert_eq!(lifetimes(&calls), [Some(300), Some(3600), Some(3600), None]);
        assert_eq!(lifetimes(&[(claude, [9, 0, 900, 900]), ("gpt-5", [2000, 0, 0, 0])]), [Some(3600), Some(300)]);
    }

    #[test]
    fn a_provider_without_a_cache_and_a_short_request_leave_nothing() {
        assert_eq!(lifetimes(&[("gpt-4", [9000, 0, 0, 0]), ("gpt-5", [900, 0, 0, 0])]), [None, None]);
    }

    #[test]
    fn of_an_unknown_model_what_is_recorded_counts() {
        assert_eq!(
            lifetimes(&[("", [2000, 0, 0, 0]), ("own", [9, 0, 50, 50]), ("own", [9, 0, 0, 0])]),
            [Some(300), Some(3600), None]
        );
        assert_eq!(lifetimes(&[("gpt-4", [9, 5000, 0, 0])]), [Some(300)]);
    }

    #[test]
    fn a_call_without_usage_counts_as_cached() {
        let mut cache = CacheLifetime::default();
        cache.record_reply(&Message::text(Role::Assistant, "x"), &Environment::default());
        assert_eq!(cache.seconds(), Some(300));
    }
}
