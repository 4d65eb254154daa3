//! Messages that are put in.

mod competing_injections;
mod empty_text;
mod injection_as_assistant;
mod injection_as_system;
mod injection_ends_streak;
mod injection_every_call;
mod injection_feeds_itself;
mod long_injection;
mod nudge_without_stop;
mod repeats_in_context_only;
mod stop_ignores_results;
mod stop_without_nudge;
mod unguarded_injection;

use crate::lint::Lint;

/// The lints of this category, by name.
pub(super) const LINTS: &[&Lint] = &[
    &competing_injections::LINT,
    &empty_text::LINT,
    &injection_as_assistant::LINT,
    &injection_as_system::LINT,
    &injection_ends_streak::LINT,
    &injection_every_call::LINT,
    &injection_feeds_itself::LINT,
    &long_injection::LINT,
    &nudge_without_stop::LINT,
    &repeats_in_context_only::LINT,
    &stop_ignores_results::LINT,
    &stop_without_nudge::LINT,
    &unguarded_injection::LINT,
];
