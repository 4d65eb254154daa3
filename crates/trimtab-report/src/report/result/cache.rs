//! What recordings read from the prompt cache, and why it broke.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::{BreakSum, CacheStatistics};
use trimtab_simulate::simulate::{CACHE_CAUSES, CacheCause, CacheReliability, RecordedBreak};

use super::SCHEMA_VERSION;
use crate::report::figure::{Amount, ByName, number};
use crate::report::replay_result::ReplayError;

/// The cache breaks in recordings.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BreaksResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The breaks, in the order of the calls.
    pub breaks: Vec<RecordedBreakResult>,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// A call that read clearly less than the call before had left in the cache.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecordedBreakResult {
    /// The transcript.
    pub transcript: String,
    /// The call, from 0.
    pub call: u64,
    /// Why the cache broke.
    #[schemars(extend("enum" = CACHE_CAUSES.map(CacheCause::name)))]
    pub cause: String,
    /// Whether the agent, its harness or the person can avoid it.
    pub avoidable: bool,
    /// The seconds since the call before; null if they are unknown.
    pub idle_seconds: Option<u64>,
    /// The tokens that were billed again.
    pub tokens: u64,
    /// What that costs more than reading them, in US dollars; null if the price is unknown.
    pub cost: Amount,
}

/// What was read from the prompt cache, and its breaks.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CacheResult {
    /// The calls before which something had been left in the cache.
    pub calls: u64,
    /// Their tokens that the cache held.
    pub left_tokens: u64,
    /// Those of these tokens that were read.
    pub read_tokens: u64,
    /// The breaks by cause.
    pub causes: ByName<BreakSumResult>,
    /// The breaks that the agent, its harness or the person can avoid.
    pub avoidable: BreakSumResult,
    /// The misses that nothing explains, by model family.
    pub families: ByName<CacheReliabilityResult>,
}

/// Calls that read clearly less than the call before had left in the cache.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BreakSumResult {
    /// Their number.
    pub breaks: u64,
    /// Those of them with a known price.
    pub priced: u64,
    /// The tokens that were billed again.
    pub tokens: u64,
    /// What those with a known price cost, in US dollars; null if no price is known.
    pub cost: Amount,
}

/// How reliable the prompt cache of a model family was.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CacheReliabilityResult {
    /// The calls that should have read all that the call before had left in the cache.
    pub calls: u64,
    /// Those of them that read clearly less.
    pub missed_calls: u64,
    /// The tokens that should have been read.
    pub tokens: u64,
    /// Those of them that these calls did not read.
    pub missed_tokens: u64,
}

impl RecordedBreakResult {
    /// A break in the transcript with this name.
    pub(in super::super) fn of(id: &str, found: &RecordedBreak) -> Self {
        Self {
            transcript: id.to_owned(),
            call: number(found.call),
            cause: found.cause.name().to_owned(),
            avoidable: found.cause.is_avoidable(),
            idle_seconds: found.idle,
            tokens: found.tokens,
            cost: found.cost.into(),
        }
    }
}

impl CacheResult {
    /// Returns the sums, or `None` if nothing had been left in a cache.
    pub(in super::super) fn of(all: &CacheStatistics) -> Option<Self> {
        (all.due.calls > 0).then(|| Self {
            calls: number(all.due.calls),
            left_tokens: all.due.tokens,
            read_tokens: all.due.read,
            causes: all.causes.iter().map(|(cause, sum)| (cause.name(), (*sum).into())).collect(),
            avoidable: all.avoidable().into(),
            families: all.families.iter().map(|(family, reads)| (family, (*reads).into())).collect(),
        })
    }
}

impl From<BreakSum> for BreakSumResult {
    fn from(sum: BreakSum) -> Self {
        Self {
            breaks: number(sum.costs.number),
            priced: number(sum.costs.priced),
            tokens: sum.tokens,
            cost: sum.costs.known().into(),
        }
    }
}

impl From<CacheReliability> for CacheReliabilityResult {
    fn from(reads: CacheReliability) -> Self {
        Self {
            calls: number(reads.calls),
            missed_calls: number(reads.missed_calls),
            tokens: reads.tokens,
            missed_tokens: reads.missed_tokens,
        }
    }
}
