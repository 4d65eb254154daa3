//! What a policy needs: facts, prompts, phases and thresholds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use trimtab_language::check::Reading;

use super::Place;
use crate::report::inspection::{Inspection, Prompt, Threshold};

/// A fact that rules read.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NeededFact {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it may be unknown.
    pub optional: bool,
    /// The rules that read it.
    pub rules: Vec<String>,
}

/// A prompt that rules use.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NeededPrompt {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The rules that use it.
    pub rules: Vec<String>,
    /// Where it is; null if it has no name in the file.
    pub at: Option<Place>,
}

/// The rules of a phase.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PhaseRules {
    /// The phase.
    pub phase: String,
    /// Its rules in order.
    pub rules: Vec<String>,
}

/// A share of the window.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ThresholdResult {
    /// A decimal: 0.8 is 80%.
    pub share: String,
    /// The same in tokens; null if the window is unknown.
    pub tokens: Option<u64>,
    /// The rules in which it is.
    pub rules: Vec<String>,
}

impl NeededFact {
    pub(super) fn of(reading: &Reading, rules: &[&SmolStr]) -> Self {
        let fact = reading.fact;
        let (name, ty) = (reading.name().into(), fact.ty.to_string());
        Self { name, ty, optional: fact.is_optional(), rules: names(rules) }
    }
}

impl NeededPrompt {
    pub(super) fn of(inspection: &Inspection<'_>, prompt: &Prompt<'_>) -> Self {
        Self {
            name: prompt.name.to_string(),
            text: prompt.text.clone(),
            rules: names(&prompt.rules),
            at: inspection.prompt_at(prompt).and_then(|span| Place::of(inspection, span)),
        }
    }
}

impl PhaseRules {
    pub(super) fn of(phase: &str, rules: &[&SmolStr]) -> Self {
        Self { phase: phase.to_owned(), rules: names(rules) }
    }
}

impl From<&Threshold<'_>> for ThresholdResult {
    fn from(threshold: &Threshold<'_>) -> Self {
        let share = threshold.share.normalize().to_string();
        Self { share, tokens: threshold.tokens, rules: names(&threshold.rules) }
    }
}

/// The names of rules or tools.
pub(super) fn names<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}
