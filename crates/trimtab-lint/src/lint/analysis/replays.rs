//! The replays of a policy, summed over the recordings.

use trimtab_base::quantity::{Counted, Decimal, Unit, grouped, percent};
use trimtab_language::check::{Policy, Rule};
use trimtab_language::fact::Unknown;
use trimtab_simulate::simulate::{RuleTrace, Trace};

use crate::lint::{LintOption, Subject};

/// A sample with fewer calls than this is reported as small.
const SMALL_SAMPLE: usize = 20;

/// The minimum number of calls for lints about what did not happen.
pub(crate) const MIN_CALLS: LintOption = LintOption {
    name: "calls",
    unit: Unit::Counted(Counted::Calls),
    default: Decimal::from_parts(5, 0, 0, false, 0),
    summary: "How many calls must have been replayed before the lint reports.",
};

/// The replays of one policy of a file.
#[derive(Debug)]
pub(crate) struct Replays<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// One trace for each recording.
    pub traces: &'a [Trace],
    /// The number of calls.
    pub calls: usize,
}

impl<'a> Replays<'a> {
    /// Returns the replays of a file, or `None` if there are none.
    pub(crate) fn of(subject: &Subject<'a>, traces: &'a [Trace]) -> Option<Self> {
        let name = &traces.first()?.policy;
        let checked = subject.checked;
        let policy = checked.policies.iter().chain(&checked.used).find(|policy| policy.name == *name)?;
        let made = |trace: &Trace| trace.calls.iter().filter(|call| call.made).count();
        let calls = traces.iter().map(made).sum();
        let whole = traces.iter().all(|trace| trace.policy == *name && trace.rules.len() == policy.rules.len());
        (whole && calls > 0).then_some(Self { policy, traces, calls })
    }

    /// The rules that are written in this file, each with its index.
    pub(crate) fn rules(&self, subject: &Subject<'_>) -> impl Iterator<Item = (usize, &'a Rule)> {
        let own = subject.source.id();
        self.policy.rules.iter().enumerate().filter(move |(_, rule)| rule.span.source == own)
    }

    /// A count of a rule, summed over the recordings.
    pub(crate) fn sum(&self, rule: usize, count: impl Fn(&RuleTrace) -> usize) -> usize {
        self.traces.iter().filter_map(|trace| trace.rules.get(rule)).map(count).sum()
    }

    /// Returns a fact that the rule reads and that was unknown at every call, other than by an unknown window, or
    /// `None` if it reads none.
    pub(crate) fn never_known(&self, rule: usize) -> Option<&'a str> {
        let unknown = |trace: &'a Trace| {
            trace.unknown.iter().filter(move |unknown| unknown.rule == rule && unknown.why != Unknown::Window)
        };
        let (first, others) = self.traces.split_first()?;
        let is_in = |trace: &'a Trace, fact: &str| unknown(trace).any(|unknown| unknown.fact == fact);
        let mut facts = unknown(first).map(|unknown| unknown.fact.as_str());
        facts.find(|fact| others.iter().all(|trace| is_in(trace, fact)))
    }

    /// A note with the size of the sample.
    pub(crate) fn sample(&self) -> String {
        let recordings = counted(self.traces.len(), "recording");
        let calls = counted(self.calls, "call");
        if self.calls < SMALL_SAMPLE {
            format!("based on {recordings} with {calls}, a small sample; replay more before acting on it")
        } else {
            format!("based on {recordings} with {calls}; others may differ")
        }
    }

    /// The largest context at which rules were evaluated, in words: as a share of its window, or in tokens.
    pub(crate) fn largest(&self, as_share: bool) -> String {
        let shares = self.traces.iter().filter_map(|trace| trace.ratio(trace.observed.peak));
        let tokens = self.traces.iter().map(|trace| trace.observed.peak).max().unwrap_or(0);
        match (as_share, shares.max()) {
            (true, Some(share)) => format!("the largest context was {}", percent(share)),
            (true, None) => format!("the window is unknown; the largest context was {} tokens", grouped(tokens.into())),
            (false, _) => format!("the largest context was {} tokens", grouped(tokens.into())),
        }
    }
}

/// A count with its noun, such as `1 call` or `2 calls`.
pub(crate) fn counted(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {one}s", grouped(Decimal::from(number))) }
}
