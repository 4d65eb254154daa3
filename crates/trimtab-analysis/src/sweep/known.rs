//! Axes whose values are unknown in some transcripts.

use trimtab_base::quantity::Decimal;

use super::axis::{AXES, Axis, TOKENS_SENT};
use super::candidate::Observation;
use super::split::Half;

/// Drops the values of an axis in each transcript in which a combination has none, so that all means of an axis are over the
/// same transcripts.
pub(super) fn align(observations: &mut [Observation]) {
    for observation in observations {
        for axis in AXES {
            if is_known(observation, axis) {
                continue;
            }
            for outcome in &mut observation.outcomes {
                outcome.drop_value(axis);
            }
        }
    }
}

/// In how many transcripts the values of an axis are known.
pub(super) fn count(observations: &[Observation], axis: &Axis) -> usize {
    observations.iter().filter(|one| is_known(one, axis)).count()
}

/// Whether the transcripts in which the values of an axis are known have at least half of the tokens of both sets.
pub(super) fn is_representative(observations: &[Observation], axis: &Axis) -> bool {
    Half::ALL.into_iter().all(|half| {
        let tokens = |is_counted: &dyn Fn(&Observation) -> bool| -> Decimal {
            observations.iter().filter(|one| one.half == half && is_counted(one)).map(tokens).sum()
        };
        let known = tokens(&|one| is_known(one, axis));
        known >= tokens(&|_| true) - known
    })
}

/// Whether the values of an axis are known in a transcript.
pub(super) fn is_known(observation: &Observation, axis: &Axis) -> bool {
    observation.outcomes.iter().all(|outcome| outcome.value(axis).is_some())
}

/// The tokens of a transcript with the file as written, at least one.
fn tokens(observation: &Observation) -> Decimal {
    let axis = AXES.iter().find(|axis| axis.name == TOKENS_SENT);
    let sent = axis.and_then(|axis| observation.outcomes.first()?.value(axis));
    sent.unwrap_or_default().max(Decimal::ONE)
}
