//! Sessions that combinations stop: their other figures are no gain.

use super::axis::{AXES, STOP_AXES};
use super::candidate::Outcome;
use crate::quantity::Decimal;

/// Charges combinations for a session that they stop: on every axis but those of stops, the session counts at least as much
/// as under the worst combination that does not stop it. Nobody knows what the rest of the session would have been.
pub(super) fn charge_stops(outcomes: &mut [Outcome]) {
    let stops: Vec<bool> = outcomes.iter().map(Outcome::is_stopped).collect();
    for axis in AXES.iter().filter(|axis| !STOP_AXES.contains(&axis.name)) {
        let at = axis.position();
        let others = outcomes.iter().zip(&stops).filter(|(_, is_stopped)| !**is_stopped);
        let worst: Option<Decimal> = others.filter_map(|(outcome, _)| outcome.value(axis)).max();
        let stopped = outcomes.iter_mut().zip(&stops).filter(|(_, is_stopped)| **is_stopped);
        for value in stopped.filter_map(|(outcome, _)| outcome.values.get_mut(at)) {
            *value = value.map(|own| worst.map_or(own, |worst| own.max(worst)));
        }
    }
}
