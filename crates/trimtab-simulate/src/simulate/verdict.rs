//! The verdict on a policy: what it does to a recording, the most important first.

use trimtab_base::quantity::Decimal;

use super::compared::Compared;
use super::interval::{self, Estimated};
use super::money::PricedShare;
use super::trace::Trace;

/// What a policy does to a recording, the most important first.
///
/// Tokens and cost are those of the calls that are made in both: a call that a stop prevents is no saving, since nobody
/// knows what the run would have needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The calls whose context exceeds the window minus the reserve, or `None` if no window is known.
    pub over_window: Option<Compared<usize>>,
    /// 1 if a stop prevents calls.
    pub stopped_sessions: usize,
    /// The calls that stops prevent.
    pub stopped_calls: usize,
    /// The tokens that are sent.
    pub tokens: Estimated<u128>,
    /// The cost in US dollars of the calls whose price is known, with the policy that of its summaries too, or `None`
    /// if there are none.
    pub cost: Option<Estimated<Decimal>>,
    /// How much of the recorded calls has a known price.
    pub priced: PricedShare,
    /// The tokens of bound reasoning that changes make invalid.
    pub reasoning_lost: u64,
    /// The calls that need what rules removed: repeated calls and quotes.
    pub needed_later: usize,
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
            priced: trace.money.priced,
            reasoning_lost: trace.rules.iter().map(|rule| rule.money.reasoning_lost).sum(),
            needed_later: trace.regret.repeated.len() + trace.regret.quotes.len(),
        }
    }
}
