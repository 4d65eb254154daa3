//! Everything that a project promises, checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::diagnostic::Severity;

use super::SCHEMA_VERSION;
use crate::report::ci::{CiCheck, CiProblem, CiReport, CiSimulation};
use crate::report::figure::number;
use crate::report::verdict::VerdictResult;

/// The result of `trimtab ci`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct CiResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The exit code.
    #[schemars(extend("enum" = [0, 1, 2]))]
    pub exit_code: u8,
    /// The checks.
    pub parts: Vec<CiPart>,
    /// The simulations, in the order of the settings.
    pub simulations: Vec<CiSimulationResult>,
}

/// A check.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CiPart {
    /// Its name.
    #[schemars(extend("enum" = ["format", "lint", "test", "simulate", "recordings"]))]
    pub name: String,
    /// What came of it.
    #[schemars(extend("enum" = ["fine", "findings", "failed"]))]
    pub result: String,
    /// The result in numbers.
    pub summary: String,
    /// What was found.
    pub troubles: Vec<CiTrouble>,
}

/// What a check found.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CiTrouble {
    /// The file; null if it is about none.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u64>,
    /// The column, from 1.
    pub column: Option<u64>,
    /// How grave it is.
    #[schemars(extend("enum" = Severity::ALL.map(Severity::word)))]
    pub severity: String,
    /// What is wrong.
    pub message: String,
}

/// What a policy does to the recordings of the project.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct CiSimulationResult {
    /// The policy file, with what the settings choose beside it.
    pub name: String,
    /// The number of transcripts.
    pub transcripts: u64,
    /// The expectations that were met.
    pub met: u64,
    /// The expectations that were checked.
    pub expected: u64,
    /// What the policy does.
    pub verdict: VerdictResult,
}

impl From<&CiReport> for CiResult {
    fn from(report: &CiReport) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            exit_code: report.code(),
            parts: report.checks.iter().map(CiPart::from).collect(),
            simulations: report.simulations.iter().map(CiSimulationResult::from).collect(),
        }
    }
}

impl From<&CiCheck> for CiPart {
    fn from(check: &CiCheck) -> Self {
        Self {
            name: check.name.to_owned(),
            result: ["fine", "findings", "failed"][usize::from(check.code())].to_owned(),
            summary: check.summary.clone(),
            troubles: check.problems.iter().map(CiTrouble::from).collect(),
        }
    }
}

impl From<&CiProblem> for CiTrouble {
    fn from(problem: &CiProblem) -> Self {
        let (file, at) = problem.place.as_ref().map_or((None, None), |(file, at)| (Some(file), *at));
        Self {
            file: file.cloned(),
            line: at.map(|at| number(at.line)),
            column: at.map(|at| number(at.column)),
            severity: problem.severity.word().to_owned(),
            message: problem.text.clone(),
        }
    }
}

impl From<&CiSimulation> for CiSimulationResult {
    fn from(simulation: &CiSimulation) -> Self {
        let CiSimulation { name, replays, met, expected, .. } = simulation;
        Self {
            name: name.clone(),
            transcripts: number(*replays),
            met: number(*met),
            expected: number(*expected),
            verdict: simulation.figures().clone().into(),
        }
    }
}
