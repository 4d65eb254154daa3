//! Sessions that combinations stop: their other figures are no gain.

use super::axis::{AXES, STOP_AXES};
use super::candidate::Outcome;
use super::judge::Observation;
use crate::quantity::Decimal;

/// Charges combinations for the sessions that they stop: on every axis but those of stops, such a session counts at least
/// as much as under the worst combination that does not stop it. Nobody knows what the rest of the session would have been.
pub(super) fn charge_stops(observations: &mut [Observation]) {
    for observation in observations {
        let stops: Vec<bool> = observation.outcomes.iter().map(Outcome::is_stopped).collect();
        for axis in AXES.iter().filter(|axis| !STOP_AXES.contains(&axis.name)) {
            let at = axis.position();
            let values = observation.outcomes.iter().zip(&stops).filter(|(_, is_stopped)| !**is_stopped);
            let worst: Option<Decimal> = values.filter_map(|(outcome, _)| outcome.value(axis)).max();
            let stopped = observation.outcomes.iter_mut().zip(&stops).filter(|(_, is_stopped)| **is_stopped);
            for value in stopped.filter_map(|(outcome, _)| outcome.values.get_mut(at)) {
                *value = value.map(|own| worst.map_or(own, |worst| own.max(worst)));
            }
        }
    }
}
