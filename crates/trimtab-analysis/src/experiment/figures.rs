//! What the conversations of a unit used together.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::prelude::ToPrimitive;
use smol_str::SmolStr;
use trimtab_base::conversation::Usage;
use trimtab_base::quantity::Decimal;
use trimtab_model::model::Models;
use trimtab_recordings::transcript::Transcript;

use crate::recording::CallCosts;

/// What the conversations of a unit used together. A reply that several recordings have, since they are branches of one
/// conversation, counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitFigures {
    replies: BTreeMap<ReplyKey, Reply>,
    /// The failed tool results, each with its time and its id.
    failures: BTreeSet<(SmolStr, SmolStr)>,
}

/// What makes a reply the same one in another recording: its time and its usage. One without a time is in one recording only.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReplyKey {
    At(SmolStr, u64),
    In(SmolStr, usize),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reply {
    usage: Option<Usage>,
    cost: Option<Decimal>,
}

/// What somebody has found out about units, such as 1 for a task that was solved and 0 for one that was not.
pub type Outcomes = BTreeMap<String, f64>;

/// Something that is compared between arms.
#[derive(Debug)]
pub struct ArmMeasure {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, for help texts and tables.
    pub summary: &'static str,
    /// Whether its values are US dollars.
    pub is_money: bool,
    value: fn(&UnitFigures, Option<f64>) -> Option<f64>,
}

impl ArmMeasure {
    /// Returns its value for a unit with this outcome, or `None` if it is not known.
    pub fn of(&self, figures: &UnitFigures, outcome: Option<f64>) -> Option<f64> {
        (self.value)(figures, outcome)
    }
}

const MEASURE: ArmMeasure = ArmMeasure { name: "", summary: "", is_money: false, value: |_, outcome| outcome };

/// The measures, the usual one first.
pub static ARM_MEASURES: [&ArmMeasure; 6] = [
    &ArmMeasure {
        name: "cost",
        summary: "US dollars at list prices, cache reads and writes included",
        is_money: true,
        value: |figures, _| figures.cost(),
    },
    &ArmMeasure {
        name: "tokens",
        summary: "tokens of input and output",
        value: |figures, _| figures.sum(Usage::total),
        ..MEASURE
    },
    &ArmMeasure {
        name: "output_tokens",
        summary: "tokens of replies",
        value: |figures, _| figures.sum(|usage| usage.output),
        ..MEASURE
    },
    &ArmMeasure {
        name: "model_calls",
        summary: "model calls",
        value: |figures, _| count(figures.replies.len()),
        ..MEASURE
    },
    &ArmMeasure {
        name: "failed_results",
        summary: "failed tool results",
        value: |figures, _| count(figures.failures.len()),
        ..MEASURE
    },
    &ArmMeasure { name: "outcome", summary: "the outcome in the file of --outcomes", ..MEASURE },
];

impl UnitFigures {
    /// What one conversation, with a name that no other one of the unit has, used.
    pub fn of(name: &str, transcript: &Transcript, models: &Models) -> Self {
        let mut figures = Self::default();
        for (at, message) in transcript.messages.iter().enumerate().filter(|(_, message)| !message.kept) {
            let time = message.at.clone().unwrap_or_default();
            let failed = message.results().filter(|result| result.is_error);
            figures.failures.extend(failed.map(|result| (time.clone(), result.id.clone())));
            if !message.is_reply() {
                continue;
            }
            let tokens = message.usage.map_or(0, Usage::total);
            let key = match &message.at {
                Some(time) => ReplyKey::At(time.clone(), tokens),
                None => ReplyKey::In(name.into(), at),
            };
            let model = message.model.as_ref().or(transcript.model.as_ref());
            let cost = message.usage.and_then(|usage| {
                let costs = CallCosts::of(usage, model, message.at.as_deref(), models).costs;
                costs.is_complete().then_some(costs.cost)
            });
            figures.replies.insert(key, Reply { usage: message.usage, cost });
        }
        figures
    }

    /// Adds another conversation of the unit.
    pub fn add(&mut self, other: Self) {
        self.replies.extend(other.replies);
        self.failures.extend(other.failures);
    }

    /// Returns the cost in US dollars, or `None` if that of a reply is not known.
    fn cost(&self) -> Option<f64> {
        let costs: Option<Vec<Decimal>> = self.replies.values().map(|reply| reply.cost).collect();
        costs?.into_iter().sum::<Decimal>().to_f64()
    }

    /// Returns a sum over the usage of the replies, or `None` if that of a reply is not known.
    fn sum(&self, of: fn(Usage) -> u64) -> Option<f64> {
        let all: Option<Vec<u64>> = self.replies.values().map(|reply| reply.usage.map(of)).collect();
        all?.into_iter().fold(0_u64, u64::saturating_add).to_f64()
    }
}

fn count(number: usize) -> Option<f64> {
    number.to_f64()
}
