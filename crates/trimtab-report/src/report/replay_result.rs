//! The replay of one transcript, as reports read it.

use std::cmp::Reverse;

use rust_decimal::prelude::ToPrimitive;
use serde_json::{Value as Json, json};
use trimtab_analysis::test::{SummedExpectation, Verdict};
use trimtab_simulate::simulate::{RuleMoney, RuleSaving, RuleTrace, Trace};

/// A trace and the file that it comes from.
#[derive(Clone, Debug)]
pub struct ReplayResult {
    /// The file as the user gave it.
    pub file: String,
    /// The name of the transcript: the file, with the id inside it if the file contains several.
    pub id: String,
    /// The trace.
    pub trace: Trace,
    /// The results of the assertions.
    pub assertions: Vec<AssertionResult>,
}

/// The result of one assertion on one transcript.
#[derive(Clone, Debug)]
pub struct AssertionResult {
    /// The assertion as given.
    pub text: String,
    /// The result, with the actual value.
    pub verdict: Verdict,
}

impl AssertionResult {
    /// The JSON form.
    pub(super) fn json(&self) -> Json {
        json!({
            "expression": self.text,
            "held": self.verdict.is_met,
            "seen": self.verdict.actual,
            "call": self.verdict.at,
        })
    }
}

/// An assertion on a total over all transcripts.
#[derive(Clone, Debug)]
pub struct SummedAssertion {
    /// The assertion as given.
    pub text: String,
    /// The expectation and the total.
    pub sum: SummedExpectation,
}

impl SummedAssertion {
    /// The JSON form. Partial results add up by their values.
    pub(super) fn json(&self) -> Json {
        let Verdict { is_met, actual, .. } = self.sum.verdict();
        json!({ "expression": self.text, "held": is_met, "seen": actual, "value": self.sum.value().to_f64() })
    }
}

/// A recording that could not be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The file as the user gave it, or the transcript in it.
    pub file: String,
    /// The reason.
    pub message: String,
    /// The line of the file, where it is known.
    pub line: Option<usize>,
}

impl ReplayError {
    /// The JSON form.
    pub(super) fn json(&self) -> Json {
        json!({ "file": self.file, "message": self.message, "line": self.line })
    }
}

/// What one rule did over several replays.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleTotals<'a> {
    pub(super) name: &'a str,
    pub(super) due: usize,
    pub(super) fired: usize,
    pub(super) edits: usize,
    pub(super) saved: i128,
    pub(super) money: RuleMoney,
    pub(super) saving: RuleSaving,
}

/// The totals of each rule, in the order of the policy.
pub(super) fn rule_totals(replays: &[ReplayResult]) -> impl Iterator<Item = RuleTotals<'_>> {
    let rules = replays.first().map_or(&[][..], |replay| &replay.trace.rules);
    rules.iter().enumerate().map(|(at, rule)| {
        let all = || replays.iter().filter_map(move |replay| replay.trace.rules.get(at));
        let sum = |of: fn(&RuleTrace) -> usize| all().map(of).sum();
        let savings =
            replays.iter().filter_map(|replay| Some(RuleSaving::of(replay.trace.rules.get(at)?, &replay.trace)));
        RuleTotals {
            name: &rule.name,
            due: sum(|rule| rule.due),
            fired: sum(|rule| rule.fired),
            edits: sum(|rule| rule.edits),
            saved: all().map(|rule| rule.saved).sum(),
            money: all().map(|rule| rule.money).reduce(RuleMoney::with).unwrap_or_default(),
            saving: savings.reduce(RuleSaving::with).unwrap_or_default(),
        }
    })
}

/// The replays that a policy changes most, by tokens saved or added, in their order; all if there is no limit.
pub(super) fn most_changed<'a>(
    replays: impl IntoIterator<Item = &'a ReplayResult>,
    limit: Option<usize>,
    saved: impl Fn(&ReplayResult) -> u128,
) -> Vec<&'a ReplayResult> {
    let mut all: Vec<(usize, &ReplayResult)> = replays.into_iter().enumerate().collect();
    if let Some(limit) = limit {
        all.sort_by_cached_key(|(_, replay)| Reverse(saved(replay)));
        all.truncate(limit);
        all.sort_unstable_by_key(|(at, _)| *at);
    }
    all.into_iter().map(|(_, replay)| replay).collect()
}

/// The tokens that a policy saves or adds.
pub(super) fn changed_tokens(replay: &ReplayResult) -> u128 {
    replay.trace.saved().unsigned_abs()
}

/// Whether some rule fired.
pub(super) fn is_changed(trace: &Trace) -> bool {
    trace.rules.iter().any(|rule| rule.fired > 0)
}

/// The errors as JSON.
pub(super) fn errors_json(errors: &[ReplayError]) -> Json {
    errors.iter().map(ReplayError::json).collect()
}
