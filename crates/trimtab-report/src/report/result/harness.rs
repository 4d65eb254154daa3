//! What the recorded harness did to the context.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_simulate::simulate::{Clearing, ResetCause, Trace};

use crate::report::figure::number;

/// A compaction by the recorded harness.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CompactionResult {
    /// The first call after it.
    pub call: u64,
    /// Whether the harness compacted by itself.
    pub automatic: bool,
    /// The size of the context before it, if it is recorded.
    pub tokens: Option<u64>,
}

/// Tool results that the recorded harness replaced with placeholders.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ClearingResult {
    /// The first call without them.
    pub call: u64,
    /// The cleared results in the recorded context.
    pub results: u64,
    /// The cleared results that are not in the recorded context.
    pub missing: u64,
    /// The saved tokens by the counter of the replay.
    pub estimated_tokens: u64,
    /// The saved tokens as the harness recorded them.
    pub stated_tokens: Option<u64>,
    /// By how many tokens the recorded input fell.
    pub recorded_tokens: Option<u64>,
    /// Whether it is not recorded but inferred from a fall of the recorded input.
    pub inferred: bool,
}

impl CompactionResult {
    /// The compactions in a replayed recording.
    pub(super) fn all(trace: &Trace) -> Vec<Self> {
        let compactions = trace.resets.iter().filter_map(|reset| match reset.cause {
            ResetCause::Compaction(compaction) => {
                Some(Self { call: number(reset.call), automatic: compaction.automatic, tokens: compaction.tokens })
            }
            _ => None,
        });
        compactions.collect()
    }
}

impl ClearingResult {
    pub(super) fn of(clearing: &Clearing) -> Self {
        Self {
            call: number(clearing.call),
            results: number(clearing.results),
            missing: number(clearing.missing),
            estimated_tokens: clearing.estimated,
            stated_tokens: clearing.stated,
            recorded_tokens: clearing.measured,
            inferred: clearing.inferred,
        }
    }
}
