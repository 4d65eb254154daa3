//! The verdict on a policy in words, and as programs read it.

use std::ops::{Add, Sub};

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::cost::Cost;
use crate::report::number::{count, plural, whole};
use crate::report::table::Table;
use crate::simulate::{Compared, Estimated, Trace, Verdict};

/// The verdict on one transcript, or the sum over several.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct VerdictSum {
    over_window: Pair<Option<u64>>,
    stopped: Stopped,
    tokens: Range<u64>,
    cost: Range<Cost>,
    reasoning_lost: u64,
    wanted_again: u64,
}

/// A figure as recorded and with the policy.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Pair<T> {
    recorded: T,
    policy: T,
}

/// A figure as recorded and with the policy, and the interval of the latter.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Range<T> {
    recorded: T,
    policy: T,
    low: T,
    high: T,
}

/// What stops prevent.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Stopped {
    sessions: u64,
    calls: u64,
}

impl VerdictSum {
    /// The verdict on a replay.
    pub(super) fn of(trace: &Trace) -> Self {
        let verdict = Verdict::of(trace);
        let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let tokens = |tokens: u128| u64::try_from(tokens).unwrap_or(u64::MAX);
        let over = verdict.over_window;
        Self {
            over_window: Pair {
                recorded: over.map(|over| number(over.recorded)),
                policy: over.map(|over| number(over.policy)),
            },
            stopped: Stopped { sessions: number(verdict.stopped_sessions), calls: number(verdict.stopped_calls) },
            tokens: Range {
                recorded: tokens(verdict.tokens.figure.recorded),
                policy: tokens(verdict.tokens.figure.policy),
                low: tokens(verdict.tokens.low()),
                high: tokens(verdict.tokens.high()),
            },
            cost: Range {
                recorded: Cost(verdict.cost.map(|cost| cost.figure.recorded)),
                policy: Cost(verdict.cost.map(|cost| cost.figure.policy)),
                low: Cost(verdict.cost.map(Estimated::low)),
                high: Cost(verdict.cost.map(Estimated::high)),
            },
            reasoning_lost: verdict.reasoning_lost,
            wanted_again: number(verdict.wanted_again),
        }
    }

    /// Adds another one. Transcripts without a known window add nothing to the calls that exceed it.
    pub(super) fn add(&mut self, other: Self) {
        let grow = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        let known = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).reduce(u64::saturating_add);
        self.over_window.recorded = known(self.over_window.recorded, other.over_window.recorded);
        self.over_window.policy = known(self.over_window.policy, other.over_window.policy);
        grow(&mut self.stopped.sessions, other.stopped.sessions);
        grow(&mut self.stopped.calls, other.stopped.calls);
        let Range { recorded, policy, low, high } = other.tokens;
        grow(&mut self.tokens.recorded, recorded);
        grow(&mut self.tokens.policy, policy);
        grow(&mut self.tokens.low, low);
        grow(&mut self.tokens.high, high);
        let Range { recorded, policy, low, high } = other.cost;
        self.cost.recorded.add(recorded);
        self.cost.policy.add(policy);
        self.cost.low.add(low);
        self.cost.high.add(high);
        grow(&mut self.reasoning_lost, other.reasoning_lost);
        grow(&mut self.wanted_again, other.wanted_again);
    }

    /// The JSON form.
    pub(super) fn json(self) -> Json {
        let Self { over_window, stopped, tokens, cost, reasoning_lost, wanted_again } = self;
        json!({
            "over_window": { "recorded": over_window.recorded, "policy": over_window.policy },
            "stopped": { "sessions": stopped.sessions, "calls": stopped.calls },
            "tokens": {
                "recorded": tokens.recorded, "policy": tokens.policy, "low": tokens.low, "high": tokens.high,
            },
            "cost": {
                "recorded": cost.recorded.json(), "policy": cost.policy.json(),
                "low": cost.low.json(), "high": cost.high.json(),
            },
            "reasoning_lost": reasoning_lost,
            "wanted_again": wanted_again,
        })
    }
}

/// How many calls exceed the window minus the reserve: `no call exceeds the window`; none if no window is known.
pub(super) fn over_window(verdict: &Verdict, has_reserve: bool) -> Option<String> {
    let limit = if has_reserve { "the window minus the reserve" } else { "the window" };
    let Compared { recorded, policy } = verdict.over_window?;
    let exceed = |calls: usize| match calls {
        0 => format!("no call exceeds {limit}"),
        1 => format!("1 call exceeds {limit}"),
        calls => format!("{} calls exceed {limit}", whole(calls)),
    };
    Some(match (recorded, policy) {
        (0, 0) => exceed(0),
        (recorded, policy) if recorded == policy => format!("{} as recorded and with the policy", exceed(policy)),
        (0, policy) => format!("{} with the policy, and none as recorded", exceed(policy)),
        (recorded, policy) => format!("{} with the policy, and {} as recorded", exceed(policy), whole(recorded)),
    })
}

/// What stops prevent: `stops prevent 240 of 500 calls in 30 of 40 sessions`; none if they prevent nothing.
pub(super) fn stopped(verdict: &Verdict, calls: usize, sessions: usize) -> Option<String> {
    let Verdict { stopped_calls: prevented @ 1.., stopped_sessions, .. } = *verdict else { return None };
    let calls = format!("{} of {}", whole(prevented), plural(calls, "call"));
    Some(match sessions {
        1 => format!("a stop prevents {calls}"),
        sessions => format!("stops prevent {calls} in {} of {}", whole(stopped_sessions), plural(sessions, "session")),
    })
}

/// The row of the interval of a figure with the policy, below the row of the figure, if they are not the same.
pub(super) fn interval<T>(table: &mut Table, figure: Estimated<T>, text: fn(T) -> String)
where
    T: Add<Output = T> + Sub<Output = T> + Copy,
{
    let (low, high) = (text(figure.low()), text(figure.high()));
    if low != high {
        table.row(["  80% interval".to_owned(), String::new(), format!("{low} to {high}")]);
    }
}

/// Where tokens and costs are compared, if not at all calls.
pub(super) const fn compared_calls(verdict: &Verdict) -> &'static str {
    if verdict.stopped_calls > 0 { " at the calls that are made in both" } else { "" }
}

/// What rules take that is needed: lost reasoning, and calls that need again what rules took.
pub(super) fn losses(verdict: &Verdict) -> Vec<String> {
    let reasoning =
        (verdict.reasoning_lost > 0).then(|| format!("{} tokens of reasoning are lost", count(verdict.reasoning_lost)));
    let wanted = match verdict.wanted_again {
        0 => None,
        1 => Some("1 later call needs what rules took".to_owned()),
        calls => Some(format!("{} later calls need what rules took", whole(calls))),
    };
    reasoning.into_iter().chain(wanted).collect()
}

/// The parts of a verdict as a sentence.
pub(super) fn sentence(parts: impl IntoIterator<Item = String>) -> String {
    format!("{}.", parts.into_iter().collect::<Vec<_>>().join("; "))
}
