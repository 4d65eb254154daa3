//! Thresholds, and the order of cheap and heavy relief.

mod cumulative_trigger;
mod early_reduction;
mod edits_in_two_phases;
mod heavy_before_light;
mod late_first_reduction;
mod no_headroom;
mod no_hysteresis;
mod no_last_resort;
mod reduction_runs_out;
mod reported_across_phases;
mod reported_alone;
mod reported_ladder;
mod size_before_window;
mod steps_too_close;
mod summary_above_threshold;
mod target_above_threshold;
mod target_below_overhead;
mod target_too_near;
mod threshold_below_overhead;
mod turned_comparison;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &cumulative_trigger::LINT,
    &early_reduction::LINT,
    &edits_in_two_phases::LINT,
    &heavy_before_light::LINT,
    &late_first_reduction::LINT,
    &no_headroom::LINT,
    &no_hysteresis::LINT,
    &no_last_resort::LINT,
    &reduction_runs_out::LINT,
    &reported_across_phases::LINT,
    &reported_alone::LINT,
    &reported_ladder::LINT,
    &size_before_window::LINT,
    &steps_too_close::LINT,
    &summary_above_threshold::LINT,
    &target_above_threshold::LINT,
    &target_below_overhead::LINT,
    &target_too_near::LINT,
    &threshold_below_overhead::LINT,
    &turned_comparison::LINT,
];
