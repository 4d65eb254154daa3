//! Effects that undo or swallow each other.

mod arrivals_on_reply;
mod choice_for_one_step;
mod empty_selection;
mod errors_included;
mod hidden_tool_named;
mod idle_label;
mod inject_before_summarise;
mod large_playbook;
mod long_placeholder;
mod mask_without_preview;
mod no_strategies;
mod no_tool_left;
mod offload_without_recall;
mod preview_not_shorter;
mod reduce_after_summarise;
mod repeated_name;
mod summary_of_summary;
mod tiny_trim;
mod tool_not_declared;
mod trim_after_mask;
mod trim_longer_than_before;
mod uneven_event_fields;
mod unknown_reminder;
mod unset_variable;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &arrivals_on_reply::LINT,
    &choice_for_one_step::LINT,
    &empty_selection::LINT,
    &errors_included::LINT,
    &hidden_tool_named::LINT,
    &idle_label::LINT,
    &inject_before_summarise::LINT,
    &large_playbook::LINT,
    &long_placeholder::LINT,
    &mask_without_preview::LINT,
    &no_strategies::LINT,
    &no_tool_left::LINT,
    &offload_without_recall::LINT,
    &preview_not_shorter::LINT,
    &reduce_after_summarise::LINT,
    &repeated_name::LINT,
    &summary_of_summary::LINT,
    &tiny_trim::LINT,
    &tool_not_declared::LINT,
    &trim_after_mask::LINT,
    &trim_longer_than_before::LINT,
    &uneven_event_fields::LINT,
    &unknown_reminder::LINT,
    &unset_variable::LINT,
];
