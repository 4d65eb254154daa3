//! Conditions that cannot hold, always hold, or hide others.

mod always_true;
mod boundary_overlap;
mod duplicate_rule;
mod end_already_holds;
mod end_never_holds;
mod gap_between_rules;
mod guard_never_opens;
mod idle_unless;
mod literal_asterisk;
mod miss_without_reduction;
mod never_true;
mod redundant_part;
mod undecided_condition;
mod unreachable_after_stop;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &always_true::LINT,
    &boundary_overlap::LINT,
    &duplicate_rule::LINT,
    &end_already_holds::LINT,
    &end_never_holds::LINT,
    &gap_between_rules::LINT,
    &guard_never_opens::LINT,
    &idle_unless::LINT,
    &literal_asterisk::LINT,
    &miss_without_reduction::LINT,
    &never_true::LINT,
    &redundant_part::LINT,
    &undecided_condition::LINT,
    &unreachable_after_stop::LINT,
];
