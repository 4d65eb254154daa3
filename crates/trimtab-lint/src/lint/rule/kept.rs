//! Lints about kept content and windows of calls.

mod keep_covers_trigger;
mod keep_covers_window;
mod keep_nothing;
mod minimum_above_window;
mod task_not_pinned;
mod window_smaller_than_count;
mod zones_cover_everything;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &keep_covers_trigger::LINT,
    &keep_covers_window::LINT,
    &keep_nothing::LINT,
    &minimum_above_window::LINT,
    &task_not_pinned::LINT,
    &window_smaller_than_count::LINT,
    &zones_cover_everything::LINT,
];
