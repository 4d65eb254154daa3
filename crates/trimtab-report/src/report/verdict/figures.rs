//! The figures of a verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{Estimated, ToolsSource, Trace, Verdict};

use crate::report::figure::{Amount, Sum, number, summed};
use crate::report::replay_result::is_changed;

/// The verdict on one transcript, or the sum over several. All figures can be added, so that partial results add up to
/// what one run reports.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct VerdictFigures {
    /// The recorded model calls.
    pub calls: u64,
    /// The model calls whose context exceeds the window minus the reserve; null if no window is known.
    pub over_window: Pair<Option<u64>>,
    /// What stops prevent.
    pub stopped: Stopped,
    /// The tokens sent, without the model calls that a stop prevents.
    pub tokens: Range<u64>,
    /// The cost of the model calls with a known price, without those that a stop prevents.
    pub cost: Range<Amount>,
    /// How many model calls have a known price. All costs are the costs of these calls.
    pub priced: Priced,
    /// The transcripts that the policy changes.
    pub changes: Changes,
    /// The tokens of reasoning that changes of earlier content make invalid.
    pub reasoning_lost: u64,
    /// The tool calls that need what rules removed.
    pub needed_later: u64,
    /// Of these, the tool calls that repeat an earlier one.
    pub repeated_calls: u64,
    /// The transcripts whose figures rest on an assumption.
    pub caveats: Caveats,
    /// The transcript whose cost grows most, and by how much; null if none becomes more expensive.
    pub hurts_most: Option<NamedCost>,
    /// The transcript whose cost falls most, and by how much; null if none becomes cheaper.
    pub saves_most: Option<NamedCost>,
}

/// The change of the cost of one transcript.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NamedCost {
    /// The name of the transcript.
    pub id: String,
    /// The amount by which the cost grows or falls.
    pub cost: Amount,
}

summed! {
    /// A figure as recorded and with the policy.
    pub struct Pair<T> {
        /// As recorded.
        pub recorded: T,
        /// With the policy.
        pub policy: T,
    }

    /// A figure as recorded and with the policy; `low` and `high` are the ends of the nominal 80% interval of the latter.
    pub struct Range<T> {
        /// As recorded.
        pub recorded: T,
        /// With the policy.
        pub policy: T,
        /// The lower end of the interval.
        pub low: T,
        /// The upper end of the interval.
        pub high: T,
    }

    /// What stops prevent.
    pub struct Stopped {
        /// The transcripts that a rule stops.
        pub sessions: u64,
        /// Their model calls that are not made.
        pub calls: u64,
        /// What these calls cost as recorded.
        pub cost: Amount,
    }

    /// How many model calls have a known price. All costs are the costs of these calls.
    pub struct Priced {
        /// The transcripts in which every call has a known price.
        pub sessions: u64,
        /// All transcripts.
        pub all_sessions: u64,
        /// The model calls with a known price.
        pub calls: u64,
        /// All model calls.
        pub all_calls: u64,
        /// The tokens of the model calls with a known price.
        pub tokens: u64,
        /// The tokens of all model calls.
        pub all_tokens: u64,
    }

    /// The transcripts in which a rule fires, or whose requests a tool of the policy makes larger. Cheaper and more
    /// expensive transcripts differ by more than $0.01 and 0.5%.
    pub struct Changes {
        /// All changed transcripts.
        pub sessions: u64,
        /// Those that become cheaper.
        pub cheaper: u64,
        /// Those that become more expensive.
        pub more_expensive: u64,
        /// Those without a known price.
        pub unpriced: u64,
        /// Those that a rule stops and whose calls before the stop cost about the same.
        pub stopped: u64,
    }

    /// The transcripts whose figures rest on an assumption, and those whose sizes could be compared with usage.
    pub struct Caveats {
        /// Those without a known window.
        pub window_unknown: u64,
        /// Those that declare no tools, so that the tools of the policy or of the project are assumed.
        pub tools_assumed: u64,
        /// Those whose beginning is not recorded.
        pub history_missing: u64,
        /// Those that a rule changes and whose sizes could be compared with usage.
        pub measured: u64,
        /// The sum of the errors of estimated contents over the `measured` transcripts.
        pub content_error: Amount,
    }
}

/// Changes of the cost of a transcript by at most this amount, in US dollars, do not count.
const MIN_COST_CHANGE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);
/// Changes of a figure by at most this share of the recorded figure do not count.
pub(super) const MIN_CHANGE_SHARE: Decimal = Decimal::from_parts(5, 0, 0, false, 3);

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
            needed_later: number(verdict.needed_later),
            repeated_calls: number(trace.regret.repeated.len()),
            caveats: Caveats::of(trace),
            hurts_most: None,
            saves_most: None,
        }
    }

    /// The sum over replays, each with the name of its transcript.
    pub(in super::super) fn of_all<'a>(replays: impl IntoIterator<Item = (&'a str, &'a Trace)>) -> Self {
        let mut sum = Self::default();
        replays.into_iter().for_each(|(id, trace)| sum.add(&Self::of(trace), id));
        sum
    }

    /// Adds the verdict on the transcript `id`. A transcript without a known window adds nothing to the calls over the
    /// window.
    pub(in super::super) fn add(&mut self, other: &Self, id: &str) {
        self.calls.add(&other.calls);
        self.over_window.add(&other.over_window);
        self.stopped.add(&other.stopped);
        self.tokens.add(&other.tokens);
        self.cost.add(&other.cost);
        self.priced.add(&other.priced);
        self.changes.add(&other.changes);
        self.reasoning_lost.add(&other.reasoning_lost);
        self.needed_later.add(&other.needed_later);
        self.repeated_calls.add(&other.repeated_calls);
        self.caveats.add(&other.caveats);
        let added = other.cost.policy.rounded().less(other.cost.recorded.rounded()).0;
        let keep_larger = |largest: &mut Option<NamedCost>, amount: Option<Decimal>| {
            let before = largest.as_ref().and_then(|largest| largest.cost.0).unwrap_or_default();
            if let Some(amount) = amount.filter(|amount| *amount > before) {
                *largest = Some(NamedCost { id: id.to_owned(), cost: amount.into() });
            }
        };
        keep_larger(&mut self.hurts_most, added.filter(|_| other.changes.more_expensive > 0));
        keep_larger(&mut self.saves_most, added.map(|added| -added).filter(|_| other.changes.cheaper > 0));
    }

    /// The number of transcripts.
    pub(super) const fn transcript_count(&self) -> u64 {
        self.priced.all_sessions
    }
}

impl Stopped {
    fn of(trace: &Trace, verdict: &Verdict) -> Self {
        let is_known = trace.after_stop > 0 && trace.money.priced.is_known();
        Self {
            sessions: number(verdict.stopped_sessions),
            calls: number(verdict.stopped_calls),
            cost: Amount(is_known.then_some(trace.money.prevented)),
        }
    }
}

impl Priced {
    /// Whether every call is priced.
    pub(in super::super) const fn is_complete(self) -> bool {
        self.calls == self.all_calls
    }
}

impl Changes {
    fn of(trace: &Trace, cost: Range<Amount>) -> Self {
        if !is_changed(trace) {
            return Self::default();
        }
        let change = cost.recorded.0.zip(cost.policy.0).map(|(recorded, policy)| {
            let change = policy - recorded;
            let is_small = change.abs() <= MIN_COST_CHANGE || change.abs() <= recorded * MIN_CHANGE_SHARE;
            if is_small { Decimal::ZERO } else { change }
        });
        Self {
            sessions: 1,
            cheaper: u64::from(change.is_some_and(|change| change < Decimal::ZERO)),
            more_expensive: u64::from(change.is_some_and(|change| change > Decimal::ZERO)),
            unpriced: u64::from(change.is_none()),
            stopped: u64::from(trace.after_stop > 0 && change == Some(Decimal::ZERO)),
        }
    }
}

impl Caveats {
    fn of(trace: &Trace) -> Self {
        let has_fired = trace.rules.iter().any(|rule| rule.fired > 0);
        let error = trace.counter.content.median.filter(|_| has_fired);
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

    /// Returns the mean error of estimated contents, or `None` if it is unknown.
    pub(super) fn mean_error(self) -> Option<Decimal> {
        self.content_error.0?.checked_div(self.measured.into())
    }
}
