//! The replay of one transcript, as reports read it.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::test::{ExpectationResult, SummedExpectation};
use trimtab_simulate::simulate::Trace;

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
    pub verdict: ExpectationResult,
}

/// An assertion on a total over all transcripts.
#[derive(Clone, Debug)]
pub struct SummedAssertion {
    /// The assertion as given.
    pub text: String,
    /// The expectation and the total.
    pub sum: SummedExpectation,
}

/// A recording that could not be replayed.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct ReplayError {
    /// The file as the user gave it, or the transcript in it.
    pub file: String,
    /// The reason.
    pub message: String,
    /// The line of the file, where it is known.
    pub line: Option<usize>,
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

/// Whether some rule fired, or a tool that the policy declares makes requests larger.
pub(super) fn is_changed(trace: &Trace) -> bool {
    trace.rules.iter().any(|rule| rule.fired > 0) || trace.saved() != 0
}
