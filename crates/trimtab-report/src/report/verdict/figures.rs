//! The figures of a verdict.

use serde::Deserialize;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{Estimated, ToolsSource, Trace, Verdict};

use crate::report::amount::Amount;
use crate::report::number::grow;

/// The verdict on one recording, or the sum over several. All figures can be added, so that partial results add up to what one
/// run reports.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in super::super) struct VerdictFigures {
    /// The recorded calls.
    pub(super) calls: u64,
    /// The calls whose context exceeds the window minus the reserve; none if no window is known.
    pub(in super::super) over_window: Pair<Option<u64>>,
    pub(in super::super) stopped: Stopped,
    /// Of the calls that are made in both.
    pub(super) tokens: Range<u64>,
    /// Of the calls that are made in both and have a known price.
    pub(super) cost: Range<Amount>,
    pub(super) priced: Priced,
    pub(super) changes: Changes,
    /// The tokens of bound reasoning that changes make invalid.
    pub(in super::super) reasoning_lost: u64,
    /// The calls that need what rules took.
    pub(super) wanted_again: u64,
    /// Those of them that repeat a call.
    pub(super) repeated: u64,
    pub(super) caveats: Caveats,
    /// The recording whose cost grows most, and by how much.
    #[serde(skip)]
    pub(super) hurts_most: Option<(String, Decimal)>,
    /// The recording whose cost falls most, and by how much.
    #[serde(skip)]
    pub(super) saves_most: Option<(String, Decimal)>,
}

/// A figure as recorded and with the policy.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in super::super) struct Pair<T> {
    pub(in super::super) recorded: T,
    pub(in super::super) policy: T,
}

/// A figure as recorded and with the policy, and the interval of the latter.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Range<T> {
    pub(super) recorded: T,
    pub(super) policy: T,
    pub(super) low: T,
    pub(super) high: T,
}

/// What stops prevent.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in super::super) struct Stopped {
    pub(in super::super) sessions: u64,
    pub(in super::super) calls: u64,
    /// What these calls cost as recorded.
    pub(super) cost: Amount,
}

/// What has a known price: the costs are those of these calls.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Priced {
    pub(super) sessions: u64,
    pub(super) all_sessions: u64,
    pub(super) calls: u64,
    pub(super) all_calls: u64,
    pub(super) tokens: u64,
    pub(super) all_tokens: u64,
}

/// The sessions in which a rule fires, and what becomes of their cost.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Changes {
    pub(super) sessions: u64,
    pub(super) cheaper: u64,
    pub(super) dearer: u64,
    pub(super) unpriced: u64,
    /// Those that a rule stops, and whose calls until then cost about the same.
    pub(super) stopped: u64,
}

/// The sessions whose figures rest on an assumption.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Caveats {
    /// Those without a known window.
    pub(super) window_unknown: u64,
    /// Those that declare no tools, so that the policy or the project says which there are.
    pub(super) tools_assumed: u64,
    /// Those that begin in the middle of a session.
    pub(super) history_missing: u64,
    /// Those that a rule changes and whose sizes could be compared with usage.
    pub(super) measured: u64,
    /// The sum of the errors of their estimated contents.
    pub(super) content_error: Amount,
}

/// A session has become cheaper or dearer if its cost changes by more than this amount, in US dollars.
const LEAST_AMOUNT: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// A figure has changed if it does so by more than this share of what was recorded.
pub(super) const LEAST_SHARE: Decimal = Decimal::from_parts(5, 0, 0, false, 3);

fn number(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl VerdictFigures {
    /// The verdict on a replay.
    pub(in super::super) fn of(trace: &Trace) -> Self {
        let verdict = Verdict::of(trace);
        let tokens = |tokens: u128| u64::try_from(tokens).unwrap_or(u64::MAX);
        let over = verdict.over_window;
        let cost = Range {
            recorded: Amount(verdict.cost.map(|cost| cost.figure.recorded)),
            policy: Amount(verdict.cost.map(|cost| cost.figure.policy)),
            low: Amount(verdict.cost.map(Estimated::low)),
            high: Amount(verdict.cost.map(Estimated::high)),
        };
        let priced = verdict.priced;
        Self {
            calls: number(trace.call_count()),
            over_window: Pair {
                recorded: over.map(|over| number(over.recorded)),
                policy: over.map(|over| number(over.policy)),
            },
            stopped: Stopped::of(trace, &verdict),
            tokens: Range {
                recorded: tokens(verdict.tokens.figure.recorded),
                policy: tokens(verdict.tokens.figure.policy),
                low: tokens(verdict.tokens.low()),
                high: tokens(verdict.tokens.high()),
            },
            changes: Changes::of(trace, cost),
            cost,
            priced: Priced {
                sessions: u64::from(priced.is_complete()),
                all_sessions: 1,
                calls: number(priced.priced_calls),
                all_calls: number(priced.calls),
                tokens: tokens(priced.priced_tokens),
                all_tokens: tokens(priced.tokens),
            },
            reasoning_lost: verdict.reasoning_lost,
            wanted_again: number(verdict.wanted_again),
            repeated: number(trace.regret.repeated.len()),
            caveats: Caveats::of(trace),
            hurts_most: None,
            saves_most: None,
        }
    }

    /// The sum over replays, each with its name.
    pub(in super::super) fn of_all<'a>(replays: impl IntoIterator<Item = (&'a str, &'a Trace)>) -> Self {
        let mut sum = Self::default();
        replays.into_iter().for_each(|(id, trace)| sum.add(&Self::of(trace), id));
        sum
    }

    /// Adds that of the recording with this name. Recordings without a known window add nothing to the calls that exceed it.
    pub(in super::super) fn add(&mut self, other: &Self, id: &str) {
        let known = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).reduce(u64::saturating_add);
        grow(&mut self.calls, other.calls);
        self.over_window.recorded = known(self.over_window.recorded, other.over_window.recorded);
        self.over_window.policy = known(self.over_window.policy, other.over_window.policy);
        self.stopped.add(other.stopped);
        self.tokens.add(other.tokens, grow);
        self.cost.add(other.cost, Amount::add);
        self.priced.add(other.priced);
        self.changes.add(other.changes);
        grow(&mut self.reasoning_lost, other.reasoning_lost);
        grow(&mut self.wanted_again, other.wanted_again);
        grow(&mut self.repeated, other.repeated);
        self.caveats.add(other.caveats);
        let added = other.cost.policy.0.zip(other.cost.recorded.0).map(|(policy, recorded)| policy - recorded);
        let keep = |most: &mut Option<(String, Decimal)>, amount: Option<Decimal>| {
            let least = most.as_ref().map_or(Decimal::ZERO, |(_, amount)| *amount);
            if let Some(amount) = amount.filter(|amount| *amount > least) {
                *most = Some((id.to_owned(), amount));
            }
        };
        keep(&mut self.hurts_most, added.filter(|_| other.changes.dearer > 0));
        keep(&mut self.saves_most, added.map(|added| -added).filter(|_| other.changes.cheaper > 0));
    }

    /// The number of recordings.
    pub(super) const fn recordings(&self) -> u64 {
        self.priced.all_sessions
    }
}

impl<T: Copy> Range<T> {
    fn add(&mut self, other: Self, add: impl Fn(&mut T, T)) {
        add(&mut self.recorded, other.recorded);
        add(&mut self.policy, other.policy);
        add(&mut self.low, other.low);
        add(&mut self.high, other.high);
    }
}

impl Stopped {
    fn of(trace: &Trace, verdict: &Verdict) -> Self {
        let cost = trace.money.before.cost - trace.money.compared.cost;
        let is_known = trace.after_stop > 0 && trace.money.priced.is_known();
        Self {
            sessions: number(verdict.stopped_sessions),
            calls: number(verdict.stopped_calls),
            cost: Amount(is_known.then_some(cost)),
        }
    }

    fn add(&mut self, other: Self) {
        grow(&mut self.sessions, other.sessions);
        grow(&mut self.calls, other.calls);
        self.cost.add(other.cost);
    }
}

impl Priced {
    fn add(&mut self, other: Self) {
        grow(&mut self.sessions, other.sessions);
        grow(&mut self.all_sessions, other.all_sessions);
        grow(&mut self.calls, other.calls);
        grow(&mut self.all_calls, other.all_calls);
        grow(&mut self.tokens, other.tokens);
        grow(&mut self.all_tokens, other.all_tokens);
    }
}

impl Changes {
    fn of(trace: &Trace, cost: Range<Amount>) -> Self {
        if trace.rules.iter().all(|rule| rule.fired == 0) {
            return Self::default();
        }
        let change = cost.recorded.0.zip(cost.policy.0).map(|(recorded, policy)| {
            let change = policy - recorded;
            let is_small = change.abs() <= LEAST_AMOUNT || change.abs() <= recorded * LEAST_SHARE;
            if is_small { Decimal::ZERO } else { change }
        });
        Self {
            sessions: 1,
            cheaper: u64::from(change.is_some_and(|change| change < Decimal::ZERO)),
            dearer: u64::from(change.is_some_and(|change| change > Decimal::ZERO)),
            unpriced: u64::from(change.is_none()),
            stopped: u64::from(trace.after_stop > 0 && change == Some(Decimal::ZERO)),
        }
    }

    fn add(&mut self, other: Self) {
        grow(&mut self.sessions, other.sessions);
        grow(&mut self.cheaper, other.cheaper);
        grow(&mut self.dearer, other.dearer);
        grow(&mut self.unpriced, other.unpriced);
        grow(&mut self.stopped, other.stopped);
    }
}

impl Caveats {
    fn of(trace: &Trace) -> Self {
        let is_changed = trace.rules.iter().any(|rule| rule.fired > 0);
        let error = trace.counter.content.median.filter(|_| is_changed);
        let has_calls = trace.call_count() > 0;
        let is_assumed = matches!(trace.tools_source, Some(ToolsSource::Policy | ToolsSource::Profile));
        Self {
            window_unknown: u64::from(trace.window.is_none() && has_calls),
            tools_assumed: u64::from(is_assumed && has_calls),
            history_missing: u64::from(trace.observed.missing_history),
            measured: u64::from(error.is_some()),
            content_error: Amount(error),
        }
    }

    fn add(&mut self, other: Self) {
        grow(&mut self.window_unknown, other.window_unknown);
        grow(&mut self.tools_assumed, other.tools_assumed);
        grow(&mut self.history_missing, other.history_missing);
        grow(&mut self.measured, other.measured);
        self.content_error.add(other.content_error);
    }

    /// The mean error of estimated contents; none if it is unknown.
    pub(super) fn mean_error(self) -> Option<Decimal> {
        self.content_error.0?.checked_div(self.measured.into())
    }
}
