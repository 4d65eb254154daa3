//! What replays of recordings showed.

mod always_fires;
mod errors_dominate;
mod never_fires;
mod reduced_result_fetched_again;
mod threshold_below_measured_overhead;
mod tool_never_seen;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &always_fires::LINT,
    &errors_dominate::LINT,
    &never_fires::LINT,
    &reduced_result_fetched_again::LINT,
    &threshold_below_measured_overhead::LINT,
    &tool_never_seen::LINT,
];
