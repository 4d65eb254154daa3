//! Formats that are written while recordings are replayed.

use serde_json::{Map, Value as Json};

use super::PolicyReplays;
use crate::report::replay_result::{ReplayError, ReplayResult, SummedAssertion};

/// What formats for programs say of all policies.
#[derive(Clone, Debug, Default)]
pub struct ReplayHead {
    /// How many policies there are.
    pub policies: usize,
    /// The version of the program.
    pub version: &'static str,
    /// The options that determine the results, by name.
    pub options: Map<String, Json>,
}

/// Replays in a format that is written piece by piece: for each policy its beginning, its replays and its end.
pub trait ReplayStream {
    /// The text before the replays of a policy.
    fn begin(&mut self, policy: &PolicyReplays<'_>) -> String;

    /// The text of a replay.
    fn replay(&mut self, policy: &PolicyReplays<'_>, replay: &ReplayResult) -> String;

    /// The text after the replays of a policy.
    fn end(&mut self, errors: &[ReplayError], summed: &[SummedAssertion]) -> String;

    /// The text after all policies.
    fn finish(&mut self) -> String;
}
