//! Transcripts that combinations stop: their other figures are no gain.

use super::axis::{AXES, STOP_AXES};
use super::candidate::TranscriptOutcome;

/// Charges combinations for a transcript that they stop: on every axis but those of stops, the transcript counts at least as much
/// as under the worst combination that does not stop it. Nobody knows what the rest of the session would have been.
pub(super) fn charge_stops(outcomes: &mut [TranscriptOutcome]) {
    let stops: Vec<bool> = outcomes.iter().map(TranscriptOutcome::is_stopped).collect();
    for axis in AXES.iter().filter(|axis| !STOP_AXES.contains(&axis.name)) {
        let at = axis.position();
        let others = outcomes.iter().zip(&stops).filter(|(_, is_stopped)| !**is_stopped);
        let known = others.filter_map(|(outcome, _)| Some((outcome.value(axis)?, outcome.errors(axis))));
        let Some((worst, errors)) = known.max_by_key(|(value, _)| *value) else { continue };
        let stopped = outcomes.iter_mut().zip(&stops).filter(|(_, is_stopped)| **is_stopped);
        for (outcome, _) in stopped.filter(|(outcome, _)| outcome.value(axis).is_some_and(|own| own < worst)) {
            if let Some(value) = outcome.values.get_mut(at) {
                *value = Some(worst);
            }
            if let Some(own) = outcome.errors.get_mut(at) {
                *own = errors;
            }
        }
    }
}
