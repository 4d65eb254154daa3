//! How far simulations are from what was recorded.

use rust_decimal::prelude::ToPrimitive;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{
    Accuracy, ErrorSource, Errors, IMITATED_EVENTS, ImitatedCount, ImitatedEvent, MEASURES,
};

use super::SCHEMA_VERSION;
use crate::report::figure::{ByName, describe, number, rounded};
use crate::report::replay_result::ReplayError;

/// The result of `trimtab calibrate`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CalibrationResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The accuracy by model and format.
    pub groups: Vec<GroupAccuracy>,
    /// The accuracy of all groups.
    pub total: AccuracyResult,
    /// The errors that the intervals of verdicts allow for.
    pub intervals: Vec<ErrorSourceResult>,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// The accuracy for recordings of one format with one model.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GroupAccuracy {
    /// The accuracy.
    #[serde(flatten)]
    pub accuracy: AccuracyResult,
    /// The model; null if the recordings name none.
    pub model: Option<String>,
    /// The format of the recordings.
    pub format: String,
}

/// How far predictions are from what was recorded.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AccuracyResult {
    /// The transcripts with usage.
    pub conversations: u64,
    /// The calls with usage.
    pub calls: u64,
    /// The calls of transcripts in which something was cached, but for the first of each.
    pub cached_calls: u64,
    /// The calls that read less than half of what the rules of the cache give.
    pub cache_misses: u64,
    /// The imitated events whose figures are within the 80% interval.
    pub held: EventFigures,
    /// The imitated events by kind.
    #[schemars(extend("required" = IMITATED_EVENTS.map(ImitatedEvent::word)))]
    pub held_by_event: ByName<HeldEvents>,
    /// The errors of each measure, as fractions of the recorded values.
    #[schemars(transform = describe_measures)]
    pub measures: ByName<MeasureErrors>,
}

/// A number of imitated events by figure.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EventFigures {
    /// Of those whose tokens are compared.
    pub tokens: u64,
    /// Of those whose cost is compared.
    pub cost: u64,
}

/// Imitated events of one kind.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HeldEvents {
    /// Those whose figures are within the 80% interval.
    #[serde(flatten)]
    pub held: EventFigures,
    /// Those whose figures are predicted.
    pub events: EventFigures,
}

/// The errors of a measure, as fractions of the recorded values.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MeasureErrors {
    /// The number of predictions.
    pub count: u64,
    /// The size of the error that half of the predictions do not exceed.
    pub median: Option<f64>,
    /// The size of the error that nine of ten predictions do not exceed.
    pub p90: Option<f64>,
    /// The error of the sum of all predictions, positive if they are too large.
    pub total: Option<f64>,
}

/// An error that the intervals of verdicts allow for.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ErrorSourceResult {
    /// Its name.
    pub name: String,
    /// What the shares are of.
    pub of: String,
    /// How much less than predicted it may be.
    pub below: f64,
    /// How much more it may be.
    pub above: f64,
    /// What it was measured on.
    pub source: String,
}

/// Each measure with what is measured.
fn describe_measures(schema: &mut Schema) {
    describe(schema, MEASURES.map(|measure| (measure.word(), measure.summary())));
}

impl From<&Accuracy> for AccuracyResult {
    fn from(accuracy: &Accuracy) -> Self {
        let by_event = IMITATED_EVENTS.iter().zip(accuracy.imitated);
        Self {
            conversations: number(accuracy.conversations),
            calls: number(accuracy.calls),
            cached_calls: number(accuracy.cached_calls),
            cache_misses: number(accuracy.cache_misses),
            held: EventFigures::held(accuracy.held()),
            held_by_event: by_event.map(|(event, count)| (event.word(), count.into())).collect(),
            measures: MEASURES.iter().map(|measure| (measure.word(), accuracy.errors(*measure).into())).collect(),
        }
    }
}

impl EventFigures {
    fn held(count: ImitatedCount) -> Self {
        let [tokens, cost] = count.figures.map(|figure| number(figure.held));
        Self { tokens, cost }
    }
}

impl From<ImitatedCount> for HeldEvents {
    fn from(count: ImitatedCount) -> Self {
        let [tokens, cost] = count.figures.map(|figure| number(figure.events));
        Self { held: EventFigures::held(count), events: EventFigures { tokens, cost } }
    }
}

impl From<&Errors> for MeasureErrors {
    fn from(errors: &Errors) -> Self {
        let share = |share: Option<Decimal>| share.and_then(|share| share.to_f64());
        Self {
            count: number(errors.count()),
            median: share(errors.median()),
            p90: share(errors.p90()),
            total: share(errors.total()),
        }
    }
}

impl From<&ErrorSource> for ErrorSourceResult {
    fn from(error: &ErrorSource) -> Self {
        let share = |thousandths: i64| rounded(Decimal::new(thousandths, 3), 3);
        Self {
            name: error.name.to_owned(),
            of: error.of.to_owned(),
            below: share(error.below),
            above: share(error.above),
            source: error.source.to_owned(),
        }
    }
}
