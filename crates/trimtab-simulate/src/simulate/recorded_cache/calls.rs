//! The calls of a recording before which something had been left in the prompt cache.

use std::collections::BTreeSet;

use jiff::Timestamp;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, HeadChange, Message, Role, Usage};
use trimtab_model::model::{Caching, Models, Prices};
use trimtab_recordings::transcript::Transcript;

use super::is_clear;
use crate::simulate::cache_cause::CacheCause;

/// A call before which something had been left in the cache.
#[derive(Clone, Debug)]
pub(super) struct CachedCall<'a> {
    /// Its number, from 0, and the index of its reply.
    pub(super) number: usize,
    pub(super) at: usize,
    /// The same of the newest call before it with usage.
    pub(super) previous: (usize, usize),
    /// What is recorded of it.
    pub(super) usage: Usage,
    pub(super) prices: Option<Prices>,
    pub(super) family: SmolStr,
    /// The tokens that the call before had left in the cache.
    pub(super) left: u64,
    /// The seconds since the call before.
    pub(super) idle: Option<u64>,
    /// Why it would have read less, if it has.
    pub(super) cause: CacheCause,
    /// The messages of the new context if the context was reset.
    pub(super) context: Option<&'a [std::sync::Arc<Message>]>,
}

/// A call with usage.
struct Previous {
    number: usize,
    at: usize,
    /// The id of its model, however it is spelled.
    model: Option<SmolStr>,
    /// Its reasoning effort, if it is recorded.
    effort: Option<SmolStr>,
    left: u64,
    lifetime: u64,
}

/// What happened since the newest call with usage.
#[derive(Clone, Copy, Default)]
struct Since {
    /// The index of the message at which the context was reset.
    reset: Option<usize>,
    has_cleared: bool,
    changed: HeadChange,
    changed_effort: bool,
    /// The most tokens that the dropped reasoning has, or `None` if none was dropped.
    dropped_reasoning: Option<u64>,
}

/// The calls of a transcript, in order.
pub(super) struct CachedCalls<'a> {
    transcript: &'a Transcript,
    models: &'a Models,
    /// The models that count what they write to the cache, or `None` if nothing was cached.
    writers: Option<BTreeSet<Option<&'a SmolStr>>>,
    next: usize,
    calls: usize,
    previous: Option<Previous>,
    since: Since,
    /// When the newest call began, and the newest input after it.
    begun: Option<Timestamp>,
    input: Option<Timestamp>,
    /// Whether most of the newest write is kept for an hour.
    is_hourly: bool,
    /// The tokens of the replies with reasoning since the newest message of a person, or `None` if there are none.
    reasoned: Option<u64>,
}

impl<'a> CachedCalls<'a> {
    pub(super) fn of(transcript: &'a Transcript, models: &'a Models) -> Self {
        let replies = || transcript.messages.iter().filter(|message| message.is_reply());
        let usages = || replies().filter_map(|message| Some((model_of(message, transcript), message.usage?)));
        let was_cached = usages().any(|(_, usage)| usage.cache_read > 0 || usage.cache_write > 0);
        let writers = || usages().filter(|(_, usage)| usage.cache_write > 0).map(|(model, _)| model).collect();
        Self {
            transcript,
            models,
            writers: was_cached.then(writers),
            next: 0,
            calls: 0,
            previous: None,
            since: Since::default(),
            begun: None,
            input: None,
            is_hourly: false,
            reasoned: None,
        }
    }

    /// Records a message that is not a reply.
    fn follow_input(&mut self, message: &Message) {
        self.input = time(message).max(self.input);
        if message.role == Role::User {
            self.since.dropped_reasoning = added(self.since.dropped_reasoning, self.reasoned.take());
        }
    }

    /// Records a reply, and returns its call if something had been left in the cache.
    fn follow_reply(&mut self, at: usize, message: &'a Message) -> Option<CachedCall<'a>> {
        let number = self.calls;
        self.calls += 1;
        let begun = self.input.take().or_else(|| time(message)).max(self.begun);
        let idle = self.begun.zip(begun).map(|(earlier, later)| later.duration_since(earlier).as_secs());
        let idle = idle.and_then(|idle| u64::try_from(idle).ok());
        self.begun = begun;
        if message.parts.iter().any(|part| matches!(part.body, Body::Thinking { .. })) {
            self.reasoned = added(self.reasoned, Some(message.usage.map_or(0, |usage| usage.output)));
        }
        let usage = message.usage.filter(|usage| usage.context() > 0)?;
        let recorded_model = model_of(message, self.transcript);
        let model = recorded_model.and_then(|id| self.models.find(id));
        let id = model.as_ref().map(|model| &model.id).or(recorded_model).cloned();
        let writes = self.writers.as_ref()?.contains(&recorded_model);
        let caching = model.as_ref().and_then(|model| model.caching).unwrap_or(Caching::unknown(writes));
        if usage.cache_write > 0 {
            self.is_hourly = usage.hour_write.saturating_mul(2) > usage.cache_write;
        }
        let left = if writes { usage.cache_read.saturating_add(usage.cache_write) } else { cacheable(caching, usage) };
        let lifetime = if writes && self.is_hourly { Caching::HOUR } else { caching.lifetime };
        let since = std::mem::take(&mut self.since);
        let effort = message.effort.clone();
        let previous = self.previous.replace(Previous { number, at, model: id.clone(), effort, left, lifetime })?;
        if previous.left == 0 {
            return None;
        }
        let drops = recorded_model.is_some_and(|id| self.models.drops_reasoning(id));
        let efforts = previous.effort.as_ref().zip(message.effort.as_ref());
        let since = Since {
            dropped_reasoning: since.dropped_reasoning.filter(|_| drops),
            changed_effort: efforts.is_some_and(|(before, now)| before != now),
            ..since
        };
        let prices = model.as_ref().and_then(|model| model.prices.as_ref());
        Some(CachedCall {
            number,
            at,
            previous: (previous.number, previous.at),
            usage,
            prices: prices.and_then(|prices| prices.of_reply(message)),
            family: model.map_or(SmolStr::new_static("other"), |model| model.family),
            left: previous.left,
            idle,
            cause: cause(&previous, id.as_ref(), idle, &since, usage.context()),
            context: since.reset.and_then(|reset| self.transcript.messages.get(reset..at)),
        })
    }
}

impl<'a> Iterator for CachedCalls<'a> {
    type Item = CachedCall<'a>;

    fn next(&mut self) -> Option<CachedCall<'a>> {
        self.writers.as_ref()?;
        while let Some(message) = self.transcript.messages.get(self.next) {
            let at = self.next;
            self.next += 1;
            if message.resets {
                self.since.reset = Some(at);
            }
            // What a policy of a live session has edited is no recorded message.
            self.since.has_cleared |= message.cleared().is_some() || message.sent.is_some();
            self.since.changed.join(message.head_change());
            if !message.is_reply() {
                self.follow_input(message);
            } else if let Some(call) = self.follow_reply(at, message) {
                return Some(call);
            }
        }
        None
    }
}

/// Why a call would read less than the call before it had left. What has expired would not have been read with the same
/// history either, and another model has not seen it at all. A rewritten history comes before another effort, since of it only
/// what the harness kept is billed again.
fn cause(previous: &Previous, model: Option<&SmolStr>, idle: Option<u64>, since: &Since, context: u64) -> CacheCause {
    // A request that is smaller than what had been cached cannot begin with that. The reasoning that a provider drops makes it
    // smaller too.
    let missing = previous.left.saturating_sub(context);
    let is_smaller =
        is_clear(missing, previous.left) && since.dropped_reasoning.is_none_or(|dropped| missing > dropped);
    match idle {
        _ if previous.model.as_ref() != model => CacheCause::Model,
        Some(idle) if idle >= previous.lifetime => CacheCause::Lifetime,
        _ if since.changed.tools => CacheCause::Tools,
        _ if since.changed.prompt => CacheCause::Prompt,
        _ if since.reset.is_some() || since.has_cleared || is_smaller => CacheCause::History,
        _ if since.changed_effort => CacheCause::Effort,
        _ if since.dropped_reasoning.is_some() => CacheCause::Reasoning,
        None => CacheCause::Untimed,
        Some(_) => CacheCause::Unexplained,
    }
}

/// The sum of two numbers, each of which may be missing.
const fn added(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, None) => one,
        (None, other) => other,
    }
}

/// The part of a context that a provider caches that does not count what it writes.
const fn cacheable(caching: Caching, usage: Usage) -> u64 {
    let context = usage.context();
    if context < caching.minimum || caching.step == 0 { 0 } else { context - context % caching.step }
}

/// The model that wrote a reply.
fn model_of<'a>(reply: &'a Message, transcript: &'a Transcript) -> Option<&'a SmolStr> {
    reply.model.as_ref().or(transcript.model.as_ref())
}

fn time(message: &Message) -> Option<Timestamp> {
    message.at.as_deref()?.parse().ok()
}
