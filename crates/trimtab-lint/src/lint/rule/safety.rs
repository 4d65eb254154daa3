//! Failures, stops and limits.

mod fallback_decides;
mod guard_of_short_runs;
mod no_failure_handling;
mod no_single_result_limit;
mod stops_at_once;
mod summary_failure_removes;
mod summary_failure_stops;
mod summary_without_failure;
mod summary_without_limit;
mod too_many_retries;
mod unbounded_run;
mod unknown_cost;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &fallback_decides::LINT,
    &guard_of_short_runs::LINT,
    &no_failure_handling::LINT,
    &no_single_result_limit::LINT,
    &stops_at_once::LINT,
    &summary_failure_removes::LINT,
    &summary_failure_stops::LINT,
    &summary_without_failure::LINT,
    &summary_without_limit::LINT,
    &too_many_retries::LINT,
    &unbounded_run::LINT,
    &unknown_cost::LINT,
];
