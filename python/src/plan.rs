//! Plans: policies that are ready to run.

use pyo3::prelude::*;
use trimtab::{SimulationOptions, SummarySource};

use crate::error::PolicyError;
use crate::file::json;
use crate::recording::Transcript;

/// A policy that is ready to run.
#[pyclass(frozen)]
#[derive(Clone)]
pub(crate) struct Plan(pub(crate) trimtab::Plan);

#[pymethods]
impl Plan {
    /// A plan from the JSON of `trimtab compile`.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        trimtab::Plan::from_json(text).map(Self).map_err(|error| PolicyError::new_err(error.to_string()))
    }

    /// The plan as the JSON of `trimtab compile`.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The name of the policy.
    #[getter]
    fn policy(&self) -> &str {
        self.0.policy()
    }

    /// The description of the policy.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.0.title()
    }

    /// Plans with the same hash make the same edits.
    #[getter]
    fn hash(&self) -> &str {
        self.0.hash()
    }

    /// The names of the rules in the order in which they are tried.
    #[getter]
    fn rules(&self) -> Vec<String> {
        self.0.rules().map(str::to_owned).collect()
    }

    /// Whether the plan moves results out of the context, so that the agent needs the tool `recall`.
    #[getter]
    fn offloads(&self) -> bool {
        self.0.offloads()
    }

    /// How this plan differs from a later one, and what that changes on transcripts, as the JSON of `trimtab diff`.
    fn diff(&self, py: Python<'_>, after: &Self, transcripts: Vec<Py<Transcript>>) -> PyResult<String> {
        let transcripts: Vec<trimtab::Transcript> = transcripts.iter().map(|one| one.get().0.clone()).collect();
        let after = &after.0;
        py.detach(|| json(&trimtab::diff(&self.0, after, &transcripts)))
    }

    /// Replays a transcript. Returns its entry in the JSON of `trimtab simulate`.
    fn simulate(
        &self,
        py: Python<'_>,
        transcript: &Transcript,
        window: Option<u64>,
        model: Option<String>,
        summary: Option<String>,
    ) -> PyResult<String> {
        let mut options = SimulationOptions::default();
        if let Some(window) = window {
            options = options.window(window);
        }
        if let Some(model) = model {
            options = options.model(model);
        }
        if let Some(text) = summary {
            options = options.summaries(SummarySource::Text(text));
        }
        py.detach(|| json(&trimtab::simulate(&self.0, &transcript.0, &options).result()))
    }
}
