//! Names that are defined.

mod disabled_without_reason;
mod override_changes_nothing;
mod override_loosens;
mod repeated_threshold;
mod repeated_value;
mod single_use_let;
mod unknown_model;
mod untested_rule;
mod unused_host_fact;
mod unused_let;
mod unused_prompt;
mod unused_use;
mod window_above_model;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &disabled_without_reason::LINT,
    &override_changes_nothing::LINT,
    &override_loosens::LINT,
    &repeated_threshold::LINT,
    &repeated_value::LINT,
    &single_use_let::LINT,
    &unknown_model::LINT,
    &untested_rule::LINT,
    &unused_host_fact::LINT,
    &unused_let::LINT,
    &unused_prompt::LINT,
    &unused_use::LINT,
    &window_above_model::LINT,
];
