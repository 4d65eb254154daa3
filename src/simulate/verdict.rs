//! The verdict on a policy: what it does to recordings, the most important first.

use super::compared::Compared;
use super::interval::{self, Estimated};
use super::trace::Trace;
use crate::quantity::Decimal;

/// What a policy does to one recording or to several, the most important first.
///
/// Tokens and cost are those of the calls that are made in both: a call that a stop prevents is no saving, since nobody
/// knows what the run would have needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The calls whose context exceeds the window minus the reserve; none if no window is known.
    pub over_window: Option<Compared<usize>>,
    /// The recordings in which a stop prevents calls.
    pub stopped_sessions: usize,
    /// The calls that stops prevent.
    pub stopped_calls: usize,
    /// The tokens that are sent.
    pub tokens: Estimated<u128>,
    /// The cost in US dollars, with the policy that of its summaries too; none if a price is unknown.
    pub cost: Option<Estimated<Decimal>>,
    /// The tokens of bound reasoning that changes make invalid.
    pub reasoning_lost: u64,
    /// The calls that need what rules took: repeated calls and quotes.
    pub wanted_again: usize,
}

impl Default for Verdict {
    /// The verdict on no recordings.
    fn default() -> Self {
        Self {
            over_window: None,
            stopped_sessions: 0,
            stopped_calls: 0,
            tokens: Estimated::default(),
            cost: Some(Estimated::default()),
            reasoning_lost: 0,
            wanted_again: 0,
        }
    }
}

impl Verdict {
    /// The verdict on a replay.
    pub fn of(trace: &Trace) -> Self {
        Self {
            over_window: trace.over_window(),
            stopped_sessions: usize::from(trace.after_stop > 0),
            stopped_calls: trace.after_stop,
            tokens: interval::tokens(trace),
            cost: interval::cost(trace),
            reasoning_lost: trace.rules.iter().map(|rule| rule.money.reasoning_lost).sum(),
            wanted_again: trace.regret.repeated.len() + trace.regret.quotes.len(),
        }
    }

    /// The verdict on several replays.
    pub fn of_all<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Self {
        traces.into_iter().map(Self::of).fold(Self::default(), Self::with)
    }

    /// The verdict on the recordings of both. Recordings without a known window do not count as inside it.
    #[must_use]
    fn with(self, other: Self) -> Self {
        Self {
            over_window: self.over_window.into_iter().chain(other.over_window).reduce(Compared::with),
            stopped_sessions: self.stopped_sessions + other.stopped_sessions,
            stopped_calls: self.stopped_calls + other.stopped_calls,
            tokens: self.tokens.with(other.tokens),
            cost: self.cost.zip(other.cost).map(|(one, other)| one.with(other)),
            reasoning_lost: self.reasoning_lost.saturating_add(other.reasoning_lost),
            wanted_again: self.wanted_again + other.wanted_again,
        }
    }
}
