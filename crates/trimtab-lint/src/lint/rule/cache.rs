//! What an edit does to the prompt cache.

mod cache_trickle;
mod early_and_often;
mod edits_before_bound_reasoning;
mod flickering_playbook;
mod flickering_tools;
mod flickering_window;
mod idle_below_cache_lifetime;
mod no_minimum_saving;
mod volatile_placeholder;
mod volatile_variable;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &cache_trickle::LINT,
    &early_and_often::LINT,
    &edits_before_bound_reasoning::LINT,
    &flickering_playbook::LINT,
    &flickering_tools::LINT,
    &flickering_window::LINT,
    &idle_below_cache_lifetime::LINT,
    &no_minimum_saving::LINT,
    &volatile_placeholder::LINT,
    &volatile_variable::LINT,
];
