//! How a policy is written.

mod chain_of_equalities;
mod double_negation;
mod explicit_default;
mod flipped_comparison;
mod hidden_character;
mod large_number;
mod name_style;
pub(crate) mod not_formatted;
mod redundant_guard;
mod redundant_parentheses;
mod single_element_list;
mod undocumented_rule;
mod unit_number;
mod unless_not;
mod untitled_policy;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &chain_of_equalities::LINT,
    &double_negation::LINT,
    &explicit_default::LINT,
    &flipped_comparison::LINT,
    &hidden_character::LINT,
    &large_number::LINT,
    &name_style::LINT,
    &not_formatted::LINT,
    &redundant_guard::LINT,
    &redundant_parentheses::LINT,
    &single_element_list::LINT,
    &undocumented_rule::LINT,
    &unit_number::LINT,
    &unless_not::LINT,
    &untitled_policy::LINT,
];
