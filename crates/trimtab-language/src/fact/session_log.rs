//! What has happened in a session, for facts that look back over all runs: its tool calls, what was used when, and compactions.

use std::sync::Arc;

use trimtab_base::conversation::Message;
use trimtab_base::quantity::Decimal;

use super::history::Spending;
use super::recent::Recent;
use super::scope::Scope;

/// What has happened in a session. It only grows.
#[derive(Clone, Debug, Default)]
pub struct SessionLog {
    /// Replies.
    replies: u64,
    /// The replies with tool calls.
    calling: Vec<CallingReply>,
    /// The tool calls.
    calls: usize,
    /// The tool calls before the current run.
    earlier_calls: usize,
    spent: Vec<Spent>,
    total: Total,
    /// Whether the price of the next call is known.
    is_priced: bool,
    compactions: u64,
    /// The iteration of the session at the newest compaction.
    compacted_at: Option<u64>,
    /// The iteration of the session at the newest user message; 0 before the first one.
    user_message_at: u64,
}

/// A reply with tool calls.
#[derive(Clone, Debug)]
pub(super) struct CallingReply {
    pub(super) reply: Arc<Message>,
    /// The number of replies before it.
    number: u64,
    /// The number of tool calls before it.
    pub(super) first: usize,
    /// When it arrived, or `None` without timestamps.
    at: Option<Decimal>,
}

/// What was used at a time.
#[derive(Clone, Copy, Debug)]
struct Spent {
    /// The time, or `None` without timestamps.
    at: Option<Decimal>,
    /// What had been used before.
    before: Total,
}

/// What has been used so far.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    tokens: u64,
    /// US dollars, as far as prices are known.
    cost: Decimal,
    /// How often the price was unknown.
    unpriced: u64,
}

impl SessionLog {
    /// Begins a run.
    pub const fn begin_run(&mut self) {
        self.earlier_calls = self.calls;
    }

    /// Records a reply at a time in seconds, counted from any moment.
    pub fn record_reply(&mut self, reply: &Arc<Message>, at: Option<Decimal>) {
        let count = reply.calls().count();
        if count > 0 {
            let (reply, number, first) = (Arc::clone(reply), self.replies, self.calls);
            self.calling.push(CallingReply { reply, number, first, at });
        }
        self.replies += 1;
        self.calls += count;
    }

    /// Records what was used at a time.
    pub fn record_usage(&mut self, used: Spending, at: Option<Decimal>) {
        self.spent.push(Spent { at, before: self.total });
        self.total.tokens = self.total.tokens.saturating_add(used.tokens);
        match used.cost.and_then(|cost| self.total.cost.checked_add(cost)) {
            Some(cost) => self.total.cost = cost,
            None => self.total.unpriced += 1,
        }
    }

    /// Sets whether the price of the next call is known.
    pub const fn set_priced(&mut self, is_priced: bool) {
        self.is_priced = is_priced;
    }

    /// Records that the context was compacted at an iteration of the session.
    pub const fn record_compaction(&mut self, iteration: u64) {
        self.compactions += 1;
        self.compacted_at = Some(iteration);
    }

    /// Records that a user message came at an iteration of the session.
    pub const fn record_user_message(&mut self, iteration: u64) {
        self.user_message_at = iteration;
    }

    /// The iterations from the newest user message, or from the start of the session, to one of the session.
    pub(super) const fn since_user_message(&self, iteration: u64) -> u64 {
        iteration.saturating_sub(self.user_message_at)
    }

    /// The number of compactions.
    pub(super) const fn compactions(&self) -> u64 {
        self.compactions
    }

    /// Returns the iterations from the newest compaction to one of the session, or `None` if there was none.
    pub(super) fn since_compaction(&self, iteration: u64) -> Option<u64> {
        self.compacted_at.map(|at| iteration.saturating_sub(at))
    }

    /// The tokens that were used in the newest seconds up to a time.
    pub(super) fn tokens(&self, seconds: Decimal, now: Option<Decimal>) -> u64 {
        self.total.tokens - self.before(seconds, now).map_or(self.total.tokens, |before| before.tokens)
    }

    /// Returns the dollars that were used in the newest seconds up to a time, or `None` if a price is unknown.
    pub(super) fn cost(&self, seconds: Decimal, now: Option<Decimal>) -> Option<Decimal> {
        match self.before(seconds, now) {
            Some(before) => {
                (before.unpriced == self.total.unpriced).then(|| (self.total.cost - before.cost).normalize())
            }
            None => self.is_priced.then_some(Decimal::ZERO),
        }
    }

    /// Returns what had been used before the newest seconds, or `None` if nothing was used in them.
    fn before(&self, seconds: Decimal, now: Option<Decimal>) -> Option<Total> {
        let first = self.spent.partition_point(|spent| is_before(spent.at, seconds, now));
        self.spent.get(first).map(|spent| spent.before)
    }

    /// The replies with tool calls, from one of them on.
    pub(super) fn calling_from(&self, first: usize) -> &[CallingReply] {
        self.calling.get(first..).unwrap_or_default()
    }

    /// The number of tool calls.
    pub(super) const fn calls(&self) -> usize {
        self.calls
    }

    /// The index of the first tool call that is this recent.
    pub(super) fn first_call(&self, recent: Option<Recent>, scope: Scope, now: Option<Decimal>) -> usize {
        let earliest = match scope {
            Scope::Run => self.earlier_calls,
            Scope::Session => 0,
        };
        let is_old = |reply: &CallingReply| match recent {
            Some(Recent::Iterations(iterations)) => self.replies - reply.number > iterations,
            Some(Recent::Time(seconds)) => is_before(reply.at, seconds, now),
            Some(Recent::Calls(_)) | None => false,
        };
        let first = match recent {
            Some(Recent::Calls(calls)) => self.calls.saturating_sub(usize::try_from(calls).unwrap_or(usize::MAX)),
            None => 0,
            _ => {
                let first = self.calling.partition_point(is_old);
                self.calling.get(first).map_or(self.calls, |reply| reply.first)
            }
        };
        first.max(earliest)
    }
}

/// Whether something happened earlier than the newest seconds up to a time. Times never go back, and what happened before the
/// first one is earlier than any.
fn is_before(at: Option<Decimal>, seconds: Decimal, now: Option<Decimal>) -> bool {
    at.zip(now).is_none_or(|(at, now)| now - at >= seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_counts_as_long_as_it_is_recent() {
        let mut log = SessionLog::default();
        let used =
            |tokens: u64, cost: Option<i64>| Spending { tokens, cost: cost.map(Decimal::from), ..Spending::default() };
        let at = |seconds: i64| Some(Decimal::from(seconds));
        let hour = Decimal::from(3600);
        assert_eq!((log.tokens(hour, at(5)), log.cost(hour, at(5))), (0, None));
        log.set_priced(true);
        log.record_usage(used(7, Some(1)), None);
        assert_eq!((log.tokens(hour, None), log.cost(hour, None)), (0, at(0)));
        log.record_usage(used(10, Some(2)), at(0));
        log.record_usage(used(20, Some(3)), at(1800));
        assert_eq!((log.tokens(hour, at(3599)), log.cost(hour, at(3599))), (30, at(5)));
        assert_eq!((log.tokens(hour, at(3600)), log.cost(hour, at(3600))), (20, at(3)));
        assert_eq!((log.tokens(hour, at(9000)), log.cost(hour, at(9000))), (0, at(0)));
        log.record_usage(used(5, None), at(9000));
        log.record_usage(used(6, Some(4)), at(9100));
        assert_eq!((log.tokens(hour, at(9100)), log.cost(hour, at(9100))), (11, None));
        assert_eq!((log.tokens(Decimal::from(100), at(9100)), log.cost(Decimal::from(100), at(9100))), (6, at(4)));
    }

    #[test]
    fn iterations_since_a_compaction_count_over_runs() {
        let mut log = SessionLog::default();
        assert_eq!((log.compactions(), log.since_compaction(0)), (0, None));
        log.record_compaction(1);
        log.record_compaction(1);
        log.begin_run();
        assert_eq!((log.compactions(), log.since_compaction(3)), (2, Some(2)));
    }

    #[test]
    fn iterations_since_a_user_message_count_over_runs() {
        let mut log = SessionLog::default();
        assert_eq!((log.since_user_message(0), log.since_user_message(2)), (0, 2));
        log.record_user_message(3);
        log.begin_run();
        assert_eq!((log.since_user_message(3), log.since_user_message(5)), (0, 2));
    }
}
