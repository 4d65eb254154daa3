//! What providers bill for a call: uncached input, cache writes, cache reads and output.

use trimtab_base::conversation::Usage;
use trimtab_model::model::{Caching, Lookup, Model};
use trimtab_recordings::transcript::Transcript;

use super::money::StablePrefix;
use super::request_prefix::CommonPrefix;

/// The rules by which calls of a replay are billed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Billing {
    /// The provider's rules, or `None` if nothing is cached.
    caching: Option<Caching>,
    /// Whether most of what the recording writes to the cache is kept for an hour.
    writes_for_an_hour: bool,
    /// Whether recorded usage counts as if nothing had been cached.
    ignores_cache: bool,
    /// The tokens of the prefix that other conversations use too, so that it does not expire: system prompt and tools.
    shared: u64,
    /// The tokens up to the breakpoint after the system prompt: what the first call and the calls after a reset read.
    /// `None` if no such call has read anything.
    stable: Option<u64>,
}

/// A call as it was billed, or as it would have been.
#[derive(Clone, Copy, Debug)]
pub(super) struct Billed {
    /// The size of its context in tokens.
    pub(super) context: u64,
    /// The tokens that the cache model reads.
    pub(super) read: u64,
    /// The tokens after the last breakpoint, which are not written to a cache with breakpoints.
    pub(super) transient: u64,
}

impl Billing {
    /// The rules for a transcript. The recording takes precedence over the model: a recording with usage is billed with a
    /// cache only if something was cached in it.
    pub(super) fn of(model: Option<&Model>, transcript: &Transcript, with_cache: bool) -> Self {
        let usages = || {
            let replies = transcript.messages.iter().filter(|message| message.is_reply());
            replies.filter_map(|message| message.usage).filter(|usage| usage.context() > 0)
        };
        let was_cached = usages().any(|usage| usage.cache_read > 0 || usage.cache_write > 0);
        let writes = usages().any(|usage| usage.cache_write > 0);
        let known = model.and_then(|model| model.caching).or(was_cached.then_some(Caching::unknown(writes)));
        let caching = known.filter(|_| with_cache && (was_cached || usages().next().is_none()));
        let written = usages().map(|usage| u128::from(usage.cache_write)).sum::<u128>();
        let hourly = usages().map(|usage| u128::from(usage.hour_write)).sum::<u128>();
        let writes_for_an_hour = hourly * 2 > written;
        let stable = first_stable_read(transcript);
        Self { caching, writes_for_an_hour, ignores_cache: !with_cache, shared: 0, stable }
    }

    /// Returns the usage that is recorded with a reply, or `None` if the provider stated no input.
    pub(super) fn recorded(&self, usage: Option<Usage>) -> Option<Usage> {
        let usage = usage.filter(|usage| usage.context() > 0)?;
        let uncached =
            Usage { input: usage.context(), output: usage.output, service: usage.service, ..Usage::default() };
        Some(if self.ignores_cache { uncached } else { usage })
    }

    /// Switches to the caching rules of the model of the next calls.
    pub(super) fn choose_model(&mut self, model: Option<&Model>) {
        if let (Some(caching), Some(new)) = (&mut self.caching, model.and_then(|model| model.caching)) {
            *caching = new;
        }
    }

    /// The tokens that stay cached when the history changes, or `None` if the cache has no breakpoints.
    pub(super) fn stable_prefix(&self) -> Option<StablePrefix> {
        let has_breakpoints = matches!(self.caching, Some(Caching { lookup: Lookup::Breakpoints { .. }, .. }));
        has_breakpoints.then(|| self.stable.map_or(StablePrefix::Assumed, StablePrefix::Recorded))
    }

    /// How many content blocks the provider looks back from a breakpoint.
    pub(super) const fn lookback(&self) -> usize {
        match self.caching {
            Some(Caching { lookup: Lookup::Breakpoints { blocks }, .. }) => blocks,
            _ => 0,
        }
    }

    /// Whether a prefix that was not used for `idle` seconds has expired.
    pub(super) fn is_cold(&self, idle: Option<u64>) -> bool {
        self.lifetime().zip(idle).is_some_and(|(lifetime, idle)| idle >= lifetime)
    }

    /// Returns how long the provider keeps an unused prefix, in seconds, or `None` if nothing is cached.
    pub(super) fn lifetime(&self) -> Option<u64> {
        self.caching.map(|caching| if self.writes_for_an_hour { Caching::HOUR } else { caching.lifetime })
    }

    /// Updates the prefix that conversations share. A recorded call that read much less than the `expected` tokens of the cache
    /// model, such as the first one, read what other conversations had written. `is_head` is whether its request had only this
    /// prefix in common with the previous one.
    pub(super) fn learn(&mut self, recorded: Usage, expected: u64, is_head: bool) {
        if recorded.cache_read > 0 && (is_head || expected == 0 || recorded.cache_read < expected / 2) {
            self.shared = recorded.cache_read;
            self.stable = Some(recorded.cache_read);
        }
    }

    /// How many tokens of a request are read from the cache.
    pub(super) fn read(&self, prefix: &CommonPrefix, context: u64, is_cold: bool) -> u64 {
        let Some((caching, tokens)) = self.caching.zip(prefix.tokens) else { return 0 };
        if is_cold {
            return self.shared.min(tokens).min(context);
        }
        let tokens = match caching.lookup {
            Lookup::LongestPrefix => tokens,
            // After the system prompt, a client may have sent more before its first breakpoint than the recording shows.
            Lookup::Breakpoints { .. } if prefix.is_head => prefix.at_breakpoint.min(self.stable.unwrap_or(u64::MAX)),
            Lookup::Breakpoints { .. } => prefix.at_breakpoint,
        };
        self.cacheable(tokens.min(context))
    }

    /// The part of a prefix that the provider caches.
    fn cacheable(&self, tokens: u64) -> u64 {
        let Some(caching) = self.caching else { return 0 };
        if tokens < caching.minimum { 0 } else { tokens - (tokens - caching.minimum) % caching.step.max(1) }
    }

    /// The usage of a call without recorded usage.
    pub(super) fn modelled(&self, call: Billed, output: u64) -> Usage {
        let hourly = if self.writes_for_an_hour { (1, 1) } else { (0, 1) };
        self.split((call.context, call.read.min(call.context)), self.unwritten(call), hourly, output)
    }

    /// The usage of a call whose context differs from that of a recorded call. The recorded cache read changes by as much as
    /// that of the cache model, so that an unchanged context keeps its recorded usage.
    pub(super) fn shifted(&self, recorded: Usage, call: Billed, instead_of: Billed) -> Usage {
        let is_same = call.context == instead_of.context && call.read == instead_of.read && call.transient == 0;
        if is_same && recorded.context() == call.context {
            return recorded;
        }
        let read = i128::from(recorded.cache_read) + i128::from(call.read) - i128::from(instead_of.read);
        let read = u64::try_from(read.max(0)).unwrap_or(u64::MAX).min(call.context);
        let read = if self.caching.is_some() { read } else { 0 };
        let hourly = match recorded {
            Usage { cache_write: 0, .. } => (u64::from(self.writes_for_an_hour), 1),
            Usage { cache_write, hour_write, .. } => (hour_write.min(cache_write), cache_write),
        };
        Usage {
            service: recorded.service,
            ..self.split(
                (call.context, read),
                recorded.input.saturating_add(self.unwritten(call)),
                hourly,
                recorded.output,
            )
        }
    }

    /// The tokens of a call that are not written to the cache although they are new, because the client's last breakpoint is
    /// before the messages that a policy sends only once.
    const fn unwritten(&self, call: Billed) -> u64 {
        match self.caching {
            Some(Caching { lookup: Lookup::Breakpoints { .. }, .. }) => call.transient,
            _ => 0,
        }
    }

    /// Splits the tokens that are not read from the cache into uncached input, at most `uncached` tokens, and cache writes. If
    /// the provider counts no writes, all are uncached input. Of every `written` tokens that are written, `hourly` are kept for
    /// an hour.
    fn split(
        &self,
        (context, cache_read): (u64, u64),
        uncached: u64,
        (hourly, written): (u64, u64),
        output: u64,
    ) -> Usage {
        let rest = context - cache_read;
        let writes = self.caching.is_some_and(|caching| caching.counts_writes && context >= caching.minimum);
        let input = if writes { uncached.min(rest) } else { rest };
        let cache_write = rest - input;
        let hour_write = u128::from(cache_write) * u128::from(hourly) / u128::from(written);
        let hour_write = u64::try_from(hour_write).unwrap_or(cache_write);
        Usage { input, cache_read, cache_write, hour_write, output, ..Usage::default() }
    }
}

/// The cache read of the first call that found only the system prompt in the cache: the first call of a recording, or one
/// after a reset.
fn first_stable_read(transcript: &Transcript) -> Option<u64> {
    let mut is_fresh = true;
    transcript.messages.iter().find_map(|message| {
        is_fresh |= message.resets;
        let usage = message.usage.filter(|usage| message.is_reply() && usage.context() > 0)?;
        (std::mem::take(&mut is_fresh) && usage.cache_read > 0).then_some(usage.cache_read)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trimtab_base::conversation::{Message, Role, Service};
    use trimtab_model::model;

    use super::*;

    fn billing(id: &str) -> Billing {
        Billing::of(model::find(id).as_ref(), &Transcript::default(), true)
    }

    fn prefix(tokens: u64) -> CommonPrefix {
        CommonPrefix { tokens: Some(tokens), at_breakpoint: tokens, is_whole: true, ..CommonPrefix::default() }
    }

    #[test]
    fn a_prefix_below_the_minimum_is_not_cached() {
        let claude = billing("claude-opus-4-6");
        assert_eq!([4095, 4096, 5000].map(|tokens| claude.read(&prefix(tokens), 9000, false)), [0, 4096, 5000]);
    }

    #[test]
    fn a_prefix_grows_in_the_steps_of_its_provider() {
        let gpt = billing("gpt-5");
        assert_eq!(
            [1023, 1024, 1151, 1152].map(|tokens| gpt.read(&prefix(tokens), 9000, false)),
            [0, 1024, 1024, 1152]
        );
    }

    #[test]
    fn nothing_is_read_of_the_first_request_nor_after_the_lifetime() {
        let claude = billing("claude-sonnet-4-5");
        assert_eq!(claude.read(&CommonPrefix::default(), 9000, false), 0);
        assert_eq!(claude.read(&prefix(8000), 9000, true), 0);
        assert_eq!([None, Some(299), Some(300)].map(|idle| claude.is_cold(idle)), [false, false, true]);
    }

    #[test]
    fn what_other_conversations_read_too_does_not_expire() {
        let mut claude = billing("claude-sonnet-4-5");
        claude.learn(Usage { cache_read: 5000, cache_write: 3000, ..Usage::default() }, 0, false);
        claude.learn(Usage { cache_read: 7900, cache_write: 300, ..Usage::default() }, 8000, false);
        assert_eq!(claude.read(&prefix(8000), 9000, true), 5000);
        assert_eq!(claude.read(&prefix(4000), 9000, true), 4000);
        assert_eq!(claude.read(&prefix(8000), 9000, false), 8000);
        assert_eq!(claude.read(&CommonPrefix::default(), 9000, true), 0);
    }

    #[test]
    fn behind_an_edit_only_the_stable_prefix_of_the_session_is_read() {
        let reply = |cache_read| {
            let usage = Usage { input: 10, cache_read, cache_write: 90_000, ..Usage::default() };
            Message { usage: Some(usage), ..Message::text(Role::Assistant, "a") }
        };
        let reset = Message { resets: true, ..Message::text(Role::User, "summary") };
        let messages = [reply(0), reply(90_000), reset, reply(16_000), reply(90_000)].map(Arc::new).to_vec();
        let transcript = Transcript { messages, ..Transcript::default() };
        let mut claude = Billing::of(model::find("claude-sonnet-4-5").as_ref(), &transcript, true);
        let head = CommonPrefix { is_head: true, is_whole: false, ..prefix(40_000) };
        assert_eq!(claude.read(&head, 90_000, false), 16_000);
        assert_eq!(claude.read(&prefix(40_000), 90_000, false), 40_000);
        claude.learn(Usage { cache_read: 12_000, ..Usage::default() }, 16_000, true);
        assert_eq!(claude.read(&head, 90_000, false), 12_000);
        assert_eq!(billing("claude-sonnet-4-5").read(&head, 90_000, false), 40_000);
    }

    #[test]
    fn messages_for_one_request_are_not_written_behind_a_breakpoint() {
        let call = Billed { context: 9000, read: 6000, transient: 100 };
        let claude = billing("claude-sonnet-4-5").modelled(call, 5);
        assert_eq!((claude.input, claude.cache_write), (100, 2900));
        let gpt = billing("gpt-5.6").modelled(call, 5);
        assert_eq!((gpt.input, gpt.cache_write), (0, 3000));
    }

    #[test]
    fn an_unchanged_call_has_its_recorded_usage() {
        let service = Service { is_fast: true, ..Service::default() };
        let recorded = Usage { input: 7, cache_read: 100, cache_write: 50, hour_write: 20, output: 3, service };
        let call = Billed { context: 157, read: 9000, transient: 0 };
        assert_eq!(billing("claude-sonnet-4-5").shifted(recorded, call, call), recorded);
    }

    #[test]
    fn what_is_not_read_is_written_or_uncached_by_the_rule_of_the_provider() {
        let call = Billed { context: 9000, read: 6000, transient: 0 };
        let claude = billing("claude-sonnet-4-5").modelled(call, 5);
        assert_eq!(claude, Usage { cache_read: 6000, cache_write: 3000, output: 5, ..Usage::default() });
        let gpt = billing("gpt-5").modelled(call, 5);
        assert_eq!(gpt, Usage { input: 3000, cache_read: 6000, output: 5, ..Usage::default() });
        let unknown = billing("my-own").modelled(Billed { context: 9000, read: 0, transient: 0 }, 5);
        assert_eq!(unknown, Usage { input: 9000, output: 5, ..Usage::default() });
    }

    #[test]
    fn a_recorded_miss_stays_a_miss() {
        let claude = billing("claude-sonnet-4-5");
        let recorded = Usage { input: 10, cache_write: 90_000, output: 5, ..Usage::default() };
        let (after, before) = (
            Billed { context: 50_000, read: 48_000, transient: 0 },
            Billed { context: 90_010, read: 88_000, transient: 0 },
        );
        assert_eq!(claude.shifted(recorded, after, before).cache_read, 0);
    }
}
