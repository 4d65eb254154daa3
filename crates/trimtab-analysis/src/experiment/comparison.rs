//! How the arms of an experiment differ.

use std::collections::BTreeMap;

use super::figures::{ARM_MEASURES, ArmMeasure, Outcomes, UnitFigures};
use super::sequential::{Difference, MIN_UNITS};

/// A policy, or none, with the units that were assigned to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// The units by name.
    pub units: BTreeMap<String, UnitFigures>,
}

/// How the arms of an experiment differ. The first arm is the one that the others are compared with.
#[derive(Clone, Debug)]
pub struct ArmComparison {
    /// Each arm with the number of its units, in order.
    pub arms: Vec<(String, usize)>,
    /// The measures that are known for at least one unit of each arm, in order.
    pub measures: Vec<MeasureComparison>,
}

/// A measure of all arms.
#[derive(Clone, Debug)]
pub struct MeasureComparison {
    /// The measure.
    pub measure: &'static ArmMeasure,
    /// The arms but the first, in order.
    pub arms: Vec<Compared>,
}

/// An arm beside the first one.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The name of the arm.
    pub arm: String,
    /// The units of the first arm and of this one whose value is known.
    pub units: (usize, usize),
    /// The difference.
    pub difference: Difference,
    /// What it says.
    pub conclusion: Conclusion,
}

/// What a difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// The mean is lower than that of the first arm.
    Lower,
    /// It is higher.
    Higher,
    /// It differs by no more than the margin.
    Alike,
    /// Nothing yet. About this many units per arm are needed to tell a difference of the margin, if that is in reach.
    Open(Option<usize>),
    /// Nothing, because an arm has too few units.
    TooFew,
}

impl Conclusion {
    /// The word in machine-readable output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Lower => "less",
            Self::Higher => "more",
            Self::Alike => "alike",
            Self::Open(_) => "open",
            Self::TooFew => "too_few",
        }
    }
}

impl ArmComparison {
    /// Compares arms. `margin` is the difference, as a share of the mean of the first arm, below which arms are alike.
    pub fn of(arms: &[Arm], outcomes: &Outcomes, margin: f64) -> Self {
        let measures = ARM_MEASURES.iter().filter_map(|measure| compared(measure, arms, outcomes, margin));
        Self {
            arms: arms.iter().map(|arm| (arm.name.clone(), arm.units.len())).collect(),
            measures: measures.collect(),
        }
    }
}

fn compared(measure: &'static ArmMeasure, arms: &[Arm], outcomes: &Outcomes, margin: f64) -> Option<MeasureComparison> {
    let values = |arm: &Arm| -> Vec<f64> {
        let value = |(name, unit): (&String, &UnitFigures)| measure.of(unit, outcomes.get(name).copied());
        arm.units.iter().filter_map(value).collect()
    };
    let (first, others) = arms.split_first()?;
    let first = values(first);
    let compared = |arm: &Arm| {
        let values = values(arm);
        let difference = Difference::of(&first, &values, others.len())?;
        let conclusion = conclusion(&difference, margin, others.len());
        Some(Compared { arm: arm.name.clone(), units: (first.len(), values.len()), difference, conclusion })
    };
    let arms: Vec<Compared> = others.iter().filter_map(compared).collect();
    (!arms.is_empty()).then_some(MeasureComparison { measure, arms })
}

fn conclusion(difference: &Difference, margin: f64, comparisons: usize) -> Conclusion {
    let Some((low, high)) = difference.interval else { return Conclusion::TooFew };
    let margin = margin * difference.baseline.abs();
    if high < 0.0 {
        Conclusion::Lower
    } else if low > 0.0 {
        Conclusion::Higher
    } else if low >= -margin && high <= margin {
        Conclusion::Alike
    } else {
        Conclusion::Open(difference.units_needed(margin, comparisons).map(|units| units.max(MIN_UNITS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(name: &str, values: &[f64]) -> (Arm, Outcomes) {
        let unit = |at: usize| format!("{name}{at:03}");
        let units = (0..values.len()).map(|at| (unit(at), UnitFigures::default())).collect();
        let outcomes = values.iter().enumerate().map(|(at, value)| (unit(at), *value)).collect();
        (Arm { name: name.to_owned(), units }, outcomes)
    }

    fn conclusions(arms: &[&[f64]]) -> Vec<Conclusion> {
        let (arms, outcomes): (Vec<Arm>, Vec<Outcomes>) =
            arms.iter().enumerate().map(|(at, values)| arm(&at.to_string(), values)).unzip();
        let outcomes = outcomes.into_iter().flatten().collect();
        let comparison = ArmComparison::of(&arms, &outcomes, 0.1);
        let outcome = comparison.measures.iter().find(|measure| measure.measure.name == "outcome");
        outcome.map(|measure| measure.arms.iter().map(|arm| arm.conclusion).collect()).unwrap_or_default()
    }

    #[test]
    fn each_arm_is_compared_with_the_first() {
        let around = |mean: f64| -> Vec<f64> { (0..20).map(|at| mean + f64::from(at % 5)).collect() };
        let many = |mean: f64| -> Vec<f64> { (0..2_000).map(|at| mean + f64::from(at % 5)).collect() };
        assert_eq!(conclusions(&[&around(50.0), &around(20.0)]), [Conclusion::Lower]);
        assert_eq!(conclusions(&[&around(20.0), &around(50.0), &around(1.0)]), [Conclusion::Higher, Conclusion::Lower]);
        assert_eq!(conclusions(&[&many(20.0), &many(20.0)]), [Conclusion::Alike]);
        assert_eq!(conclusions(&[&around(20.0), &around(50.0)[..9]]), [Conclusion::TooFew]);
        assert!(matches!(conclusions(&[&around(2.0), &around(2.0)])[..], [Conclusion::Open(Some(more))] if more > 20));
    }

    #[test]
    fn arms_without_units_and_single_arms_are_not_compared() {
        assert_eq!(conclusions(&[&[1.0; 20], &[]]), []);
        assert_eq!(conclusions(&[&[1.0; 20]]), []);
    }
}
