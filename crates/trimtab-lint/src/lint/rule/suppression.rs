//! Comments that allow a finding.

mod expired_suppression;
mod suppression_without_reason;
mod unknown_suppression;
mod unused_suppression;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &expired_suppression::LINT,
    &suppression_without_reason::LINT,
    &unknown_suppression::LINT,
    &unused_suppression::LINT,
];
