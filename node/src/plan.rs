//! Plans: policies that are ready to run.

use napi::bindgen_prelude::ClassInstance;
use napi_derive::napi;
use trimtab::{SimulationOptions, SummarySource};

use crate::error::{Kind, Result, count, json};
use crate::recording::Transcript;

/// A policy that is ready to run.
#[napi]
pub(crate) struct Plan(pub(crate) trimtab::Plan);

/// A plan from the JSON of `trimtab compile`.
#[napi(catch_unwind)]
pub(crate) fn plan_from_json(text: String) -> Result<Plan> {
    trimtab::Plan::from_json(&text).map(Plan).map_err(|error| Kind::Policy.error(error))
}

#[napi]
impl Plan {
    /// The plan as the JSON of `trimtab compile`.
    #[napi(catch_unwind)]
    pub fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The name of the policy.
    #[napi(getter, catch_unwind)]
    pub fn policy(&self) -> &str {
        self.0.policy()
    }

    /// The description of the policy.
    #[napi(getter, catch_unwind)]
    pub fn title(&self) -> Option<&str> {
        self.0.title()
    }

    /// Plans with the same hash make the same edits.
    #[napi(getter, catch_unwind)]
    pub fn hash(&self) -> &str {
        self.0.hash()
    }

    /// The names of the rules in the order in which they are tried.
    #[napi(getter, catch_unwind)]
    pub fn rules(&self) -> Vec<&str> {
        self.0.rules().collect()
    }

    /// Whether the plan moves results out of the context, so that the agent needs the tool `recall`.
    #[napi(getter, catch_unwind)]
    pub fn offloads(&self) -> bool {
        self.0.offloads()
    }

    /// How this plan differs from a later one, and what that changes on transcripts, as the JSON of `trimtab diff`.
    #[napi(catch_unwind)]
    pub fn diff(&self, after: &Plan, transcripts: Vec<ClassInstance<'_, Transcript>>) -> Result<String> {
        let transcripts: Vec<trimtab::Transcript> = transcripts.iter().map(|one| one.0.clone()).collect();
        json(&trimtab::diff(&self.0, &after.0, &transcripts))
    }

    /// Replays a transcript. Returns its entry in the JSON of `trimtab simulate`.
    #[napi(catch_unwind)]
    pub fn replay(
        &self,
        transcript: &Transcript,
        window: Option<i64>,
        model: Option<String>,
        summary: Option<String>,
    ) -> Result<String> {
        let mut options = SimulationOptions::default();
        if let Some(window) = count("window", window)? {
            options = options.window(window);
        }
        if let Some(model) = model {
            options = options.model(model);
        }
        if let Some(text) = summary {
            options = options.summaries(SummarySource::Text(text));
        }
        json(&trimtab::simulate(&self.0, &transcript.0, &options).result())
    }
}
