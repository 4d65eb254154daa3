//! Combinations and their figures.

use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{ErrorAmounts, Trace};

use super::axis::{AXES, Axis, SESSIONS_STOPPED};
use super::split::Half;

/// The outcome of one transcript under one combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscriptOutcome {
    /// The value on each of [`AXES`], or `None` where it is unknown.
    pub values: Vec<Option<Decimal>>,
    /// For each value, the amounts to which the measured relative errors apply.
    pub errors: Vec<ErrorAmounts>,
    /// The indices of the constraints that do not hold.
    pub unmet: Vec<usize>,
}

/// The outcomes of one transcript under each combination.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The tuning set or the held-out set.
    pub half: Half,
    /// Its outcome under each combination.
    pub outcomes: Vec<TranscriptOutcome>,
}

impl Observation {
    /// Whether a combination stops the transcript.
    pub fn has_stops(&self) -> bool {
        self.outcomes.iter().any(TranscriptOutcome::is_stopped)
    }
}

/// One combination of values, and its figures.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The value of each parameter as a policy writes it.
    pub settings: Vec<String>,
    /// The hash of its plan.
    pub hash: String,
    /// Its figures on the tuning set and on the held-out set.
    pub figures: [Figures; 2],
}

/// Figures of one combination on one set of transcripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The mean on each of [`AXES`] over the transcripts in which it is known, or `None` if there are none.
    pub means: Vec<Option<Decimal>>,
    /// On how many transcripts each constraint does not hold.
    pub unmet: Vec<usize>,
}

impl TranscriptOutcome {
    /// The outcome of a replay. `above` is the share of the axis `calls-above`.
    pub fn of(trace: &Trace, above: Decimal, unmet: Vec<usize>) -> Self {
        let errors = |axis: &&Axis| axis.errors.map_or_else(ErrorAmounts::default, |errors| errors(trace));
        let values = AXES.iter().map(|axis| (axis.read)(trace, above)).collect();
        Self { values, errors: AXES.iter().map(errors).collect(), unmet }
    }

    pub(super) fn value(&self, axis: &Axis) -> Option<Decimal> {
        self.values.get(axis.position()).copied().flatten()
    }

    pub(super) fn drop_value(&mut self, axis: &Axis) {
        if let Some(value) = self.values.get_mut(axis.position()) {
            *value = None;
        }
    }

    pub(super) fn errors(&self, axis: &Axis) -> ErrorAmounts {
        self.errors.get(axis.position()).copied().unwrap_or_default()
    }

    /// Whether a stop prevents calls.
    pub(super) fn is_stopped(&self) -> bool {
        let axis = AXES.iter().find(|axis| axis.name == SESSIONS_STOPPED);
        axis.and_then(|axis| self.value(axis)).is_some_and(|stops| stops > Decimal::ZERO)
    }
}

impl Figures {
    /// The figures of the outcomes of some transcripts.
    pub(super) fn of(outcomes: &[&TranscriptOutcome], constraints: usize) -> Self {
        let mean = |axis: &&Axis| {
            let known: Vec<Decimal> = outcomes.iter().filter_map(|outcome| outcome.value(axis)).collect();
            known.iter().sum::<Decimal>().checked_div(known.len().into())
        };
        let unmet = |constraint| outcomes.iter().filter(|outcome| outcome.unmet.contains(&constraint)).count();
        Self { means: AXES.iter().map(mean).collect(), unmet: (0..constraints).map(unmet).collect() }
    }

    /// Returns the mean on an axis, or `None` if it is unknown.
    pub fn mean(&self, axis: &Axis) -> Option<Decimal> {
        self.means.get(axis.position()).copied().flatten()
    }

    /// Whether all constraints hold on all transcripts.
    pub fn is_feasible(&self) -> bool {
        self.unmet.iter().all(|count| *count == 0)
    }

    /// Whether nothing is worse than in the other figures, and something is better. Unknown means are left out.
    pub(super) fn dominates(&self, other: &Self, axes: &[&Axis]) -> bool {
        let pairs = || axes.iter().filter_map(|axis| Some((self.mean(axis)?, other.mean(axis)?)));
        pairs().all(|(own, other)| own <= other) && pairs().any(|(own, other)| own < other)
    }

    /// Whether the means on these axes are equal.
    pub(super) fn equals(&self, other: &Self, axes: &[&Axis]) -> bool {
        axes.iter().all(|axis| self.mean(axis) == other.mean(axis))
    }
}

impl Candidate {
    /// Its figures on a set.
    pub const fn on(&self, half: Half) -> &Figures {
        let [tuning, held_out] = &self.figures;
        match half {
            Half::Tuning => tuning,
            Half::HeldOut => held_out,
        }
    }
}
