//! What replays showed of the rules of a file, summed over the recordings.

use crate::check::{Policy, Rule};
use crate::lint::Subject;
use crate::quantity::{Counted, Decimal, Unit, grouped, percent};
use crate::simulate::{RuleTrace, Trace};

use crate::lint::LintOption;

/// Fewer calls than this are said to be few.
const FEW: usize = 20;

/// How many calls there must be at the least, for lints that conclude from what did not happen.
pub(crate) const CALLS: LintOption = LintOption {
    name: "calls",
    unit: Unit::Counted(Counted::Calls),
    default: Decimal::from_parts(5, 0, 0, false, 0),
    summary: "How many calls must have been replayed for it to speak.",
};

/// The replays of one policy of a file.
#[derive(Debug)]
pub(crate) struct Replays<'a> {
    /// The policy.
    pub(crate) policy: &'a Policy,
    /// One a recording.
    pub(crate) traces: &'a [Trace],
    /// Calls that were made.
    pub(crate) calls: usize,
}

impl<'a> Replays<'a> {
    /// What was replayed of a file; none when nothing was.
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

    /// Something of a rule, summed over the recordings.
    pub(crate) fn sum(&self, rule: usize, count: impl Fn(&RuleTrace) -> usize) -> usize {
        self.traces.iter().filter_map(|trace| trace.rules.get(rule)).map(count).sum()
    }

    /// How much was replayed, and what that proves.
    pub(crate) fn sample(&self) -> String {
        let recordings = counted(self.traces.len(), "recording");
        let calls = counted(self.calls, "call");
        if self.calls < FEW {
            format!("{recordings} with {calls}: so small a sample proves nothing; replay more before acting on it")
        } else {
            format!("{recordings} with {calls}: it holds for these; what others would show it cannot tell")
        }
    }

    /// The fullest that a context was when rules were tried, in words: as a share of its window, or in tokens.
    pub(crate) fn fullest(&self, as_share: bool) -> String {
        let shares = self.traces.iter().filter_map(|trace| trace.ratio(trace.observed.peak));
        let tokens = self.traces.iter().map(|trace| trace.observed.peak).max().unwrap_or(0);
        match (as_share, shares.max()) {
            (true, Some(share)) => format!("the fullest was {}", percent(share)),
            (true, None) => format!("no window is known; the fullest was {} tokens", grouped(tokens.into())),
            (false, _) => format!("the fullest was {} tokens", grouped(tokens.into())),
        }
    }
}

/// A number of things.
pub(crate) fn counted(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {one}s", grouped(Decimal::from(number))) }
}
