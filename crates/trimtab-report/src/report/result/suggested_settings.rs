//! The settings that are suggested for a system.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use trimtab_analysis::recording::SimulatedPolicy;

use super::PolicySavings;
use crate::report::figure::number;
use crate::report::suggestions::{AdjustmentResult, OPTIONS, SettingsSuggestion, SuggestionReport, reason};

/// The settings of a system that would have helped.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SuggestedSettings {
    /// The name of the system.
    pub system: String,
    /// The file that is changed; null for the defaults of the system.
    pub file: Option<String>,
    /// How many of the transcripts the system recorded itself, so that its own settings applied.
    pub own_transcripts: u64,
    /// What the system can do about large contexts.
    pub adjustments: Vec<AdjustmentOutcome>,
    /// The options of the kept adjustments, with their values.
    pub options: BTreeMap<String, Json>,
    /// What the settings so far save, compared with the recordings.
    pub before: PolicySavings,
    /// What they save with the options, compared with the recordings; null without options.
    pub after: Option<PolicySavings>,
    /// What the options save beyond the settings so far; null without options.
    pub gain: Option<PolicySavings>,
    /// What the suggested policy would save beyond these settings; null if it would save nothing more.
    pub policy_saves_more: Option<PolicySavings>,
    /// The text of the settings, which has nothing but the options unless a file is changed; null without options.
    pub text: Option<String>,
}

/// Something that a system can do, and whether it helps.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AdjustmentOutcome {
    /// Its name.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// The options with their best values.
    pub options: BTreeMap<String, Json>,
    /// Whether the settings contain it, and why not.
    #[schemars(extend("enum" = ["kept", "never_fires", "saves_nothing", "adds_nothing", "within_error"]))]
    pub outcome: String,
    /// Why it is left out, in terms of the objective; null if it is kept.
    pub reason: Option<String>,
    /// What it alone would save beyond the settings so far.
    pub alone: PolicySavings,
    /// The later calls that are made again or quote content that it reduced.
    pub needed_later: u64,
}

impl SuggestedSettings {
    pub(super) fn of(settings: &SettingsSuggestion, report: &SuggestionReport<'_>) -> Self {
        let savings = |policy: Option<SimulatedPolicy>| policy.as_ref().map(PolicySavings::from);
        let option = |(key, value, _): &(&str, Json, String)| ((*key).to_owned(), value.clone());
        Self {
            system: settings.system.name.to_owned(),
            file: settings.file.clone(),
            own_transcripts: number(settings.own_transcripts),
            adjustments: settings.results.iter().map(AdjustmentOutcome::from).collect(),
            options: settings.options.iter().map(option).collect(),
            before: (&settings.before).into(),
            after: settings.after.as_ref().map(PolicySavings::from),
            gain: savings(settings.gain()),
            policy_saves_more: savings(settings.policy_saves_more(report)),
            text: settings.text.clone(),
        }
    }
}

impl From<&AdjustmentResult> for AdjustmentOutcome {
    fn from(result: &AdjustmentResult) -> Self {
        Self {
            name: result.adjustment.name.to_owned(),
            summary: result.adjustment.summary.to_owned(),
            options: result.options.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect(),
            outcome: result.outcome.word().to_owned(),
            reason: reason(result.outcome, &result.alone, OPTIONS),
            alone: (&result.alone).into(),
            needed_later: number(result.alone.needed_later()),
        }
    }
}
