//! The verdict as programs read it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::VerdictFigures;
use super::outcome::VerdictOutcome;

/// What a policy does, with the outcome in a word.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[non_exhaustive]
pub struct VerdictResult {
    /// The outcome.
    pub outcome: VerdictOutcome,
    /// The figures that the outcome follows from.
    #[serde(flatten)]
    pub figures: VerdictFigures,
}

impl From<VerdictFigures> for VerdictResult {
    fn from(figures: VerdictFigures) -> Self {
        Self { outcome: VerdictOutcome::of(&figures), figures }
    }
}
