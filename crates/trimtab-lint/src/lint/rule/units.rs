//! Numbers and their units.

mod exact_equality;
mod mixed_keep_units;
mod share_without_window;
mod suspicious_magnitude;
mod suspicious_share;
mod tokens_chars_mix;
mod tokens_instead_of_share;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &exact_equality::LINT,
    &mixed_keep_units::LINT,
    &share_without_window::LINT,
    &suspicious_magnitude::LINT,
    &suspicious_share::LINT,
    &tokens_chars_mix::LINT,
    &tokens_instead_of_share::LINT,
];
