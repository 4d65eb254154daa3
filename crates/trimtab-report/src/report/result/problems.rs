//! The problems of recordings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::{Problem, ProblemKind};

use super::SCHEMA_VERSION;
use crate::report::figure::number;
use crate::report::replay_result::ReplayError;

/// The result of `trimtab transcript validate`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProblemsResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The problems, one for each kind and transcript.
    pub problems: Vec<ProblemResult>,
    /// How much was checked and found.
    pub summary: ProblemSummary,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// The problems of one kind in a transcript.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProblemResult {
    /// The transcript.
    pub transcript: String,
    /// The kind of problem, in a word.
    #[schemars(extend("enum" = ProblemKind::ALL.map(ProblemKind::word)))]
    pub problem: String,
    /// The same in words.
    pub message: String,
    /// How often it was found.
    pub times: u64,
    /// The indices of the messages, from 0.
    pub messages: Vec<u64>,
}

/// How much was checked and found.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProblemSummary {
    /// The transcripts that were checked.
    pub transcripts: u64,
    /// The problems that are listed.
    pub problems: u64,
}

impl ProblemResult {
    /// A problem of the transcript with this name.
    pub(in super::super) fn of(id: &str, problem: &Problem) -> Self {
        Self {
            transcript: id.to_owned(),
            problem: problem.kind.word().to_owned(),
            message: problem.kind.meaning().to_owned(),
            times: number(problem.messages.len()),
            messages: problem.messages.iter().copied().map(number).collect(),
        }
    }
}
