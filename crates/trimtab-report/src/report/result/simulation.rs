//! The simulation of policies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::{TotalResult, TranscriptResult};
use crate::report::replay_result::ReplayError;

/// The version of the form of results.
pub(in super::super) const SCHEMA_VERSION: u64 = 1;

/// The result of `trimtab simulate`; keys may be added.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SimulationResults {
    /// Of several policies.
    Several(PolicyResults),
    /// Of one policy.
    One(Box<SimulationResult>),
}

/// One simulation for each policy, in the order given.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct PolicyResults {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The simulations.
    pub policies: Vec<SimulationResult>,
}

/// The simulation of a policy.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct SimulationResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The version of Trimtab.
    pub version: String,
    /// The policy.
    pub policy: PolicyName,
    /// The options that determine the results; those of results that are merged must be equal.
    pub options: Map<String, Json>,
    /// The transcripts that are listed.
    pub transcripts: Vec<TranscriptResult>,
    /// The sums over all transcripts.
    pub total: TotalResult,
    /// The recordings that could not be replayed.
    pub errors: Vec<ReplayError>,
}

/// Which policy was replayed.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PolicyName {
    /// The file as given.
    pub file: String,
    /// The name in the file.
    pub name: String,
    /// The hash of the plan.
    pub hash: String,
}
