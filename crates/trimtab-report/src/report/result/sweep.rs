//! A sweep over the constants of a policy.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use trimtab_analysis::sweep::{AXES, Axis, Candidate, Figures, Half, Lead, SweepVerdict};

use super::SCHEMA_VERSION;
use crate::report::figure::{ByName, describe, number, rounded};
use crate::report::replay_result::ReplayError;
use crate::report::sweep::{PLACES, SweepReport, SweptParameter};

/// The result of `trimtab sweep`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SweepResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The version of Trimtab.
    pub version: String,
    /// The policy.
    pub policy: SweptPolicy,
    /// The varied constants.
    pub parameters: Vec<SweptParameter>,
    /// How many combinations their values have.
    pub possible_combinations: u64,
    /// How many of them were tried.
    pub tried_combinations: u64,
    /// The axes of the front; the first one decides the winner.
    #[schemars(extend("items" = axis()))]
    pub axes: Vec<String>,
    /// The wanted axes that are unknown in transcripts with more than half of the tokens.
    #[schemars(extend("items" = axis()))]
    pub unknown_axes: Vec<String>,
    /// The axes that are known in fewer than all transcripts, and are compared in these.
    pub partial_axes: Vec<PartialAxis>,
    /// The constraints as given.
    pub constraints: Vec<String>,
    /// The share of the window above which calls are counted on the axis `calls-above`.
    pub above: f64,
    /// The share of transcripts that is held out.
    pub held_out: f64,
    /// The seed of the split.
    pub seed: u64,
    /// The transcripts of each set.
    pub transcripts: HalfCounts,
    /// The combinations; the first one is the file as written.
    #[schemars(length(min = 1))]
    pub combinations: Vec<CombinationResult>,
    /// The indices of the combinations on the front, the best first.
    pub front: Vec<u64>,
    /// The index of the winner.
    pub winner: Option<u64>,
    /// The index of the runner-up.
    pub runner_up: Option<u64>,
    /// By how much the winner leads.
    pub leads: Vec<LeadResult>,
    /// What can be concluded.
    #[schemars(extend("enum" = SweepVerdict::ALL.map(SweepVerdict::name)))]
    pub verdict: String,
    /// The recordings that could not be replayed.
    pub errors: Vec<ReplayError>,
}

/// Which policy was varied.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SweptPolicy {
    /// The file as given.
    pub file: String,
    /// The name in the file.
    pub name: String,
}

/// An axis that is known in some transcripts only.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PartialAxis {
    /// The axis.
    #[schemars(extend("enum" = axis_names()))]
    pub axis: String,
    /// The number of transcripts in which it is known.
    pub transcripts: u64,
}

/// The transcripts of each set.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HalfCounts {
    /// The transcripts on which the winner is chosen.
    pub tuning: u64,
    /// The transcripts on which the winner is verified.
    pub held_out: u64,
}

/// A combination of values.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CombinationResult {
    /// The values by constant.
    pub settings: ByName<String>,
    /// Whether it is the file as written.
    pub as_written: bool,
    /// The hash of the plan; equal plans have equal figures.
    pub hash: String,
    /// The figures on the tuning set.
    pub tuning: HalfResult,
    /// The figures on the held-out set.
    pub held_out: HalfResult,
}

/// The figures of a combination on a set.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HalfResult {
    /// The mean over transcripts on each axis; null if it is unknown.
    #[schemars(transform = describe_axes)]
    pub means: ByName<Option<f64>>,
    /// On how many transcripts each constraint does not hold.
    pub broken: Vec<u64>,
}

/// By how much the winner leads over another combination.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeadResult {
    /// The index of the other combination.
    pub other: u64,
    /// The set on which they are compared.
    #[schemars(extend("enum" = Half::ALL.map(Half::name)))]
    pub half: String,
    /// The mean difference on the first axis; below 0 if the winner is better.
    pub mean: f64,
    /// The lower end of the 95% interval.
    pub low: f64,
    /// The upper end of the 95% interval.
    pub high: f64,
    /// How much larger the mean may be because of errors of replays: the part of a nominal 80% interval above the mean.
    pub error: f64,
}

fn axis_names() -> Vec<&'static str> {
    AXES.iter().map(|axis| axis.name).collect()
}

/// The schema of the name of an axis.
fn axis() -> Json {
    json!({ "type": "string", "enum": axis_names() })
}

/// Each axis with what it is.
fn describe_axes(schema: &mut Schema) {
    describe(schema, AXES.iter().map(|axis| (axis.name, axis.summary)));
}

impl From<&SweepReport<'_>> for SweepResult {
    fn from(report: &SweepReport<'_>) -> Self {
        let (sweep, split) = (report.sweep, report.split);
        let [tuning, held_out] = sweep.transcripts.map(number);
        let names = |axes: &[&Axis]| axes.iter().map(|axis| axis.name.to_owned()).collect();
        let partial = sweep.partial.iter();
        let partial =
            partial.map(|(axis, known)| PartialAxis { axis: axis.name.to_owned(), transcripts: number(*known) });
        let combinations = sweep.candidates.iter().enumerate();
        Self {
            schema_version: SCHEMA_VERSION,
            version: report.version.to_owned(),
            policy: SweptPolicy { file: report.file.to_owned(), name: report.policy.to_owned() },
            parameters: report.parameters.to_vec(),
            possible_combinations: number(report.possible),
            tried_combinations: number(report.tried),
            axes: names(&sweep.objective.axes),
            unknown_axes: names(&sweep.unknown),
            partial_axes: partial.collect(),
            constraints: sweep.objective.constraints.clone(),
            above: rounded(report.above, PLACES),
            held_out: rounded(split.held_out, PLACES),
            seed: split.seed,
            transcripts: HalfCounts { tuning, held_out },
            combinations: combinations.map(|(at, one)| CombinationResult::of(report, at, one)).collect(),
            front: sweep.front.iter().copied().map(number).collect(),
            winner: sweep.winner.map(number),
            runner_up: sweep.runner_up.map(number),
            leads: sweep.leads.iter().map(LeadResult::from).collect(),
            verdict: sweep.verdict.name().to_owned(),
            errors: report.errors.to_vec(),
        }
    }
}

impl CombinationResult {
    fn of(report: &SweepReport<'_>, at: usize, candidate: &Candidate) -> Self {
        let settings = report.parameters.iter().zip(&candidate.settings);
        Self {
            settings: settings.map(|(parameter, value)| (&parameter.name, value.clone())).collect(),
            as_written: at == 0,
            hash: candidate.hash.clone(),
            tuning: candidate.on(Half::Tuning).into(),
            held_out: candidate.on(Half::HeldOut).into(),
        }
    }
}

impl From<&Figures> for HalfResult {
    fn from(figures: &Figures) -> Self {
        let mean = |axis: &&Axis| (axis.name, figures.mean(axis).map(|mean| rounded(mean, PLACES)));
        Self { means: AXES.iter().map(mean).collect(), broken: figures.unmet.iter().copied().map(number).collect() }
    }
}

impl From<&Lead> for LeadResult {
    fn from(lead: &Lead) -> Self {
        let [mean, low, high] =
            [lead.interval.mean, lead.interval.low, lead.interval.high].map(|end| rounded(end, PLACES));
        let (other, half) = (number(lead.other), lead.half.name().to_owned());
        Self { other, half, mean, low, high, error: rounded(lead.error, PLACES) }
    }
}
