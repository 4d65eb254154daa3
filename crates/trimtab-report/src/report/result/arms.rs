//! How the arms of an experiment differ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::experiment::{
    ARM_MEASURES, ArmComparison, ArmMeasure, CONFIDENCE, Compared, Conclusion, Difference,
};

use super::SCHEMA_VERSION;
use crate::report::figure::number;
use crate::report::replay_result::ReplayError;

/// The result of `trimtab compare-arms`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ArmsResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The difference that is too small to matter, as a share of the mean of the first arm.
    pub margin: f64,
    /// The arms; the first one is what the others are compared with.
    pub arms: Vec<ArmResult>,
    /// The other arms by measure.
    pub measures: Vec<ArmDifference>,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// An arm of an experiment.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ArmResult {
    /// Its name.
    pub name: String,
    /// The number of its units.
    pub units: u64,
}

/// How an arm differs from the first one.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ArmDifference {
    /// What is measured.
    #[schemars(extend("enum" = ARM_MEASURES.map(|measure| measure.name)))]
    pub measure: String,
    /// The arm.
    pub arm: String,
    /// The units of the first arm whose value is known.
    pub baseline_units: u64,
    /// The units of this arm whose value is known.
    pub units: u64,
    /// The mean of the units of the first arm.
    pub baseline_mean: f64,
    /// The mean of the units of this arm.
    pub mean: f64,
    /// The difference between the means, below 0 if this arm has less.
    pub difference: f64,
    /// The lower end of the interval of the difference; null if there are too few units.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// What the difference says.
    #[schemars(extend("enum" = ["less", "more", "alike", "open", "too_few"]))]
    pub result: String,
    /// About how many units each arm needs to tell a difference of the margin; null if the result is not `open`, or out of reach.
    pub units_needed: Option<u64>,
}

impl ArmsResult {
    /// The comparison, and the errors of files that could not be read.
    pub(in super::super) fn of(comparison: &ArmComparison, margin: f64, errors: &[ReplayError]) -> Self {
        let arms = comparison.arms.iter().map(|(name, units)| ArmResult { name: name.clone(), units: number(*units) });
        let of = |measure| move |arm| ArmDifference::of(measure, arm);
        let measures = comparison.measures.iter().flat_map(|one| one.arms.iter().map(of(one.measure)));
        Self {
            schema_version: SCHEMA_VERSION,
            confidence: CONFIDENCE,
            margin,
            arms: arms.collect(),
            measures: measures.collect(),
            errors: errors.to_vec(),
        }
    }
}

impl ArmDifference {
    fn of(measure: &ArmMeasure, arm: &Compared) -> Self {
        let Difference { baseline, mean, interval, .. } = arm.difference;
        let six_places = |value: f64| (value * 1e6).round() / 1e6;
        let needed = if let Conclusion::Open(needed) = arm.conclusion { needed } else { None };
        Self {
            measure: measure.name.to_owned(),
            arm: arm.arm.clone(),
            baseline_units: number(arm.units.0),
            units: number(arm.units.1),
            baseline_mean: six_places(baseline),
            mean: six_places(mean),
            difference: six_places(mean - baseline),
            low: interval.map(|(low, _)| six_places(low)),
            high: interval.map(|(_, high)| six_places(high)),
            result: arm.conclusion.word().to_owned(),
            units_needed: needed.map(number),
        }
    }
}
