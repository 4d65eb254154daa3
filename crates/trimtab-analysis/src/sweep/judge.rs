//! The result of a sweep: the Pareto front, the winner and how certain its lead is.

use std::cmp::Ordering;

use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::ErrorAmounts;

use super::axis::Axis;
use super::bootstrap::Interval;
use super::candidate::{Candidate, Figures, Observation, TranscriptOutcome};
use super::known;
use super::split::Half;
use super::stop::charge_stops;

/// With fewer transcripts in a set, nothing can be concluded: the differences of five have the same sign by chance in one
/// of sixteen cases.
pub const MIN_TRANSCRIPTS: usize = 6;

/// What the combinations are compared by.
#[derive(Clone, Debug)]
pub struct Objective {
    /// The axes of the front; the first one decides the winner.
    pub axes: Vec<&'static Axis>,
    /// Expectations that must hold on every transcript, as the user wrote them.
    pub constraints: Vec<String>,
    /// The seed of the resamples.
    pub seed: u64,
}

impl Objective {
    /// The axis that decides the winner, then each of the others once.
    pub fn new(first: &'static Axis, others: &[&'static Axis], constraints: &[String], seed: u64) -> Self {
        let mut axes = vec![first];
        for axis in others {
            if axes.iter().all(|known| known.name != axis.name) {
                axes.push(axis);
            }
        }
        Self { axes, constraints: constraints.to_vec(), seed }
    }
}

/// The result of a sweep.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What the combinations are compared by; only axes whose values are known in transcripts with at least half of the tokens.
    pub objective: Objective,
    /// The requested axes that are unknown in transcripts with more than half of the tokens.
    pub unknown: Vec<&'static Axis>,
    /// The axes whose values are known in fewer than all transcripts, and in how many.
    pub partial: Vec<(&'static Axis, usize)>,
    /// The outcomes that are compared: combinations are charged for the transcripts that they stop.
    pub observations: Vec<Observation>,
    /// The combinations; the first one is the file as written.
    pub candidates: Vec<Candidate>,
    /// How many transcripts the tuning set and the held-out set have.
    pub transcripts: [usize; 2],
    /// The indices of the combinations that meet the constraints and are dominated by no other one on the tuning set,
    /// the best first. Of combinations with equal figures, only the first one is listed.
    pub front: Vec<usize>,
    /// The index of the winner: the best one by the first axis.
    pub winner: Option<usize>,
    /// The index of the second best combination with other figures.
    pub runner_up: Option<usize>,
    /// The first axis on which the winner differs from the file as written; the first of all if it differs on none.
    pub deciding: Option<&'static Axis>,
    /// The winner compared with the file as written and with the runner-up on that axis.
    pub leads: Vec<Lead>,
    /// What can be concluded.
    pub verdict: SweepVerdict,
}

/// The difference between the winner and another combination on the deciding axis; below zero if the winner is better.
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    /// The index of the other combination.
    pub other: usize,
    /// The set on which they are compared.
    pub half: Half,
    /// The mean difference over transcripts and its interval.
    pub interval: Interval,
    /// The mean amount per transcript by which errors of replays could reduce the lead, with 80% confidence.
    pub error: Decimal,
}

impl Lead {
    /// Whether the difference is below zero beyond noise.
    pub fn is_beyond_noise(&self) -> bool {
        self.interval.is_below_zero()
    }

    /// Whether it is larger than errors of replays.
    pub fn is_beyond_error(&self) -> bool {
        self.interval.mean.checked_add(self.error).is_some_and(|least| least < Decimal::ZERO)
    }
}

/// What can be concluded from a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepVerdict {
    /// No combination meets all constraints on the tuning set.
    NoneFeasible,
    /// The file as written is the best.
    AsWritten,
    /// A set has fewer than [`MIN_TRANSCRIPTS`] transcripts.
    TooFewTranscripts,
    /// A constraint does not hold on the held-out set.
    BreaksConstraint,
    /// The winner is not better than the file as written on the held-out set.
    DoesNotHold,
    /// The lead over the file as written may be chance.
    WithinNoise,
    /// It may be an error of the replays.
    WithinError,
    /// The winner meets the constraints on both sets, and the file as written does not.
    MeetsConstraints,
    /// The lead over the file as written holds.
    Holds,
}

/// The value of the first axis is unknown in this many transcripts, which have more than half of the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownObjective(pub usize);

impl SweepVerdict {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::NoneFeasible,
        Self::AsWritten,
        Self::TooFewTranscripts,
        Self::BreaksConstraint,
        Self::DoesNotHold,
        Self::WithinNoise,
        Self::WithinError,
        Self::MeetsConstraints,
        Self::Holds,
    ];

    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoneFeasible => "none-feasible",
            Self::AsWritten => "as-written",
            Self::TooFewTranscripts => "too-few-transcripts",
            Self::BreaksConstraint => "breaks-constraint",
            Self::DoesNotHold => "does-not-hold",
            Self::WithinNoise => "within-noise",
            Self::WithinError => "within-error",
            Self::MeetsConstraints => "meets-constraints",
            Self::Holds => "holds",
        }
    }

    /// Whether the winner is an improvement that was verified.
    pub const fn is_verified(self) -> bool {
        matches!(self, Self::Holds | Self::MeetsConstraints)
    }
}

/// Judges combinations, each given by its settings and the hash of its plan, by the outcomes of transcripts.
///
/// # Errors
/// The value of the first axis is unknown in transcripts with more than half of the tokens.
pub fn judge(
    combinations: Vec<(Vec<String>, String)>,
    mut observations: Vec<Observation>,
    mut objective: Objective,
) -> Result<Sweep, UnknownObjective> {
    for one in &mut observations {
        charge_stops(&mut one.outcomes);
    }
    known::align(&mut observations);
    let is_known = |axis: &&'static Axis| known::is_representative(&observations, axis);
    if let Some(axis) = objective.axes.first().filter(|axis| !is_known(axis)) {
        return Err(UnknownObjective(observations.len() - known::count(&observations, axis)));
    }
    let (known, unknown): (Vec<_>, Vec<_>) = objective.axes.iter().copied().partition(is_known);
    let counts = known.iter().map(|axis| (*axis, known::count(&observations, axis)));
    let partial = counts.filter(|(_, count)| *count < observations.len()).collect();
    objective.axes = known;
    let constraints = objective.constraints.len();
    let figures = |at: usize, half| {
        let outcomes: Vec<&TranscriptOutcome> =
            of_half(&observations, half).filter_map(|one| one.outcomes.get(at)).collect();
        Figures::of(&outcomes, constraints)
    };
    let candidate = |(at, (settings, hash))| {
        let figures = Half::ALL.map(|half| figures(at, half));
        Candidate { settings, hash, figures }
    };
    let mut sweep = Sweep {
        candidates: combinations.into_iter().enumerate().map(candidate).collect(),
        transcripts: Half::ALL.map(|half| of_half(&observations, half).count()),
        observations,
        objective,
        unknown,
        partial,
        front: Vec::new(),
        winner: None,
        runner_up: None,
        deciding: None,
        leads: Vec::new(),
        verdict: SweepVerdict::NoneFeasible,
    };
    sweep.choose();
    sweep.compare();
    sweep.verdict = sweep.conclude();
    Ok(sweep)
}

fn of_half(observations: &[Observation], half: Half) -> impl Iterator<Item = &Observation> {
    observations.iter().filter(move |one| one.half == half)
}

impl Sweep {
    fn tuning(&self, at: usize) -> &Figures {
        self.candidates[at].on(Half::Tuning)
    }

    /// Finds the front, the winner and the runner-up.
    fn choose(&mut self) {
        let axes = self.objective.axes.as_slice();
        let mut ranked: Vec<usize> = Vec::new();
        if self.transcripts[0] > 0 {
            ranked.extend((0..self.candidates.len()).filter(|at| self.tuning(*at).is_feasible()));
        }
        let by_axes = |a: &usize, b: &usize| {
            let order = |axis: &&Axis| self.tuning(*a).mean(axis).cmp(&self.tuning(*b).mean(axis));
            axes.iter().map(order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        // Stable, so that of equal combinations the file as written or the first one of the grid wins.
        ranked.sort_by(by_axes);
        ranked.dedup_by(|a, b| self.tuning(*a).equals(self.tuning(*b), axes));
        let is_dominated =
            |at: &usize| ranked.iter().any(|other| self.tuning(*other).dominates(self.tuning(*at), axes));
        self.front = ranked.iter().copied().filter(|at| !is_dominated(at)).collect();
        (self.winner, self.runner_up) = (ranked.first().copied(), ranked.get(1).copied());
        let winner = self.winner.map(|winner| self.tuning(winner));
        let differs =
            |axis: &&&'static Axis| winner.is_some_and(|winner| winner.mean(axis) != self.tuning(0).mean(axis));
        self.deciding = axes.iter().find(differs).or(axes.first()).copied();
    }

    /// Returns the mean difference between a combination and another one on an axis and its interval, or `None` without
    /// transcripts.
    pub fn interval(&self, (candidate, baseline): (usize, usize), axis: &Axis, half: Half) -> Option<Interval> {
        let value = |one: &Observation, at: usize| one.outcomes.get(at)?.value(axis);
        let difference = |one: &Observation| Some(value(one, candidate)? - value(one, baseline)?);
        let differences: Vec<Decimal> = of_half(&self.observations, half).filter_map(difference).collect();
        Interval::of(&differences, self.objective.seed)
    }

    /// The amount that errors of replays may add to the mean difference between two combinations.
    fn error(&self, (candidate, baseline): (usize, usize), axis: &Axis, half: Half) -> Decimal {
        let amounts = |one: &Observation, at: usize| {
            let outcome = one.outcomes.get(at)?;
            outcome.value(axis).map(|_| outcome.errors(axis))
        };
        let difference = |one: &Observation| Some(amounts(one, candidate)?.minus(amounts(one, baseline)?));
        let all = of_half(&self.observations, half).filter_map(difference);
        let (count, sum) = all.fold((0_usize, ErrorAmounts::default()), |(count, sum), one| (count + 1, sum.plus(one)));
        sum.errors().1 / Decimal::from(count.max(1))
    }

    /// Compares the winner with the file as written and with the runner-up.
    fn compare(&mut self) {
        let (Some(winner), Some(axis)) = (self.winner, self.deciding) else { return };
        let others = [Some(0), self.runner_up.filter(|at| *at != 0)];
        for baseline in others.into_iter().flatten().filter(|other| *other != winner) {
            for half in Half::ALL {
                let interval = self.interval((winner, baseline), axis, half);
                let error = self.error((winner, baseline), axis, half);
                self.leads.extend(interval.map(|interval| Lead { other: baseline, half, interval, error }));
            }
        }
    }

    /// The number of transcripts of a set in which the deciding axis is known.
    fn compared(&self, half: Half) -> usize {
        let is_known = |one: &&Observation| self.deciding.is_none_or(|axis| known::is_known(one, axis));
        of_half(&self.observations, half).filter(is_known).count()
    }

    fn conclude(&self) -> SweepVerdict {
        let Some(winner) = self.winner else { return SweepVerdict::NoneFeasible };
        let lead = |half| self.leads.iter().find(|lead| lead.other == 0 && lead.half == half);
        if winner == 0 {
            return SweepVerdict::AsWritten;
        }
        if Half::ALL.into_iter().any(|half| self.compared(half) < MIN_TRANSCRIPTS) {
            return SweepVerdict::TooFewTranscripts;
        }
        if !self.candidates[winner].on(Half::HeldOut).is_feasible() {
            return SweepVerdict::BreaksConstraint;
        }
        if !self.tuning(0).is_feasible() {
            return SweepVerdict::MeetsConstraints;
        }
        match (lead(Half::Tuning), lead(Half::HeldOut)) {
            (Some(tuning), Some(held_out)) if held_out.interval.mean < Decimal::ZERO => {
                let both = [tuning, held_out];
                match (both.iter().all(|lead| lead.is_beyond_noise()), both.iter().all(|lead| lead.is_beyond_error())) {
                    (true, true) => SweepVerdict::Holds,
                    (true, false) => SweepVerdict::WithinError,
                    (false, _) => SweepVerdict::WithinNoise,
                }
            }
            _ => SweepVerdict::DoesNotHold,
        }
    }
}

#[cfg(test)]
mod tests;
