//! Lints: advice on policies that are sound and still probably not what their author wants.
//!
//! In: a checked file with its tree and comments, settings, and for some lints what replays showed. Out: findings
//! with fixes, and those that a comment suppresses. It draws nothing, reads no file and knows no clock.
//! A lint is one file and two adjacent lines here: `mod` and the entry in [`LINTS`].

mod always_fires;
mod always_true;
mod boundary_overlap;
mod cache_trickle;
mod chain_of_equalities;
mod competing_injections;
mod descriptor;
mod disabled_without_reason;
mod double_negation;
mod duplicate_rule;
mod early_and_often;
mod early_reduction;
mod edits_in_two_phases;
mod empty_selection;
mod empty_text;
mod end_already_holds;
mod end_never_holds;
mod errors_dominate;
mod errors_included;
mod exact_equality;
mod expired_suppression;
mod explicit_default;
mod fallback_decides;
mod fixer;
mod flipped_comparison;
mod floor;
mod gap_between_rules;
mod guard_never_opens;
mod heavy_before_light;
mod hold;
mod idle_label;
mod idle_unless;
mod inject_before_summarise;
mod injection_as_assistant;
mod injection_as_system;
mod injection_ends_streak;
mod injection_every_call;
mod injection_feeds_itself;
mod keep_covers_trigger;
mod keep_nothing;
mod large_number;
mod late_first_reduction;
mod layout;
mod long_injection;
mod long_placeholder;
mod mask_without_preview;
mod missing;
mod mixed_keep_units;
mod name;
mod name_style;
mod never_fires;
mod never_true;
mod no_failure_handling;
mod no_headroom;
mod no_hysteresis;
mod no_last_resort;
mod no_minimum_saving;
mod no_single_result_limit;
mod not_formatted;
mod nudge_without_stop;
mod number;
mod once_then_until;
mod order;
mod override_changes_nothing;
mod played;
mod preview_not_shorter;
mod reach;
mod reading;
mod reduce_after_summarise;
mod reduced_result_fetched_again;
mod redundant_guard;
mod redundant_parentheses;
mod redundant_part;
mod relief;
mod remark;
mod repeated_name;
mod repeated_threshold;
mod repeated_value;
mod repeats_in_context_only;
mod reported_across_phases;
mod reported_ladder;
mod settings;
mod shape;
mod share_without_window;
mod single_element_list;
mod single_use_let;
mod steps_too_close;
mod stop_without_nudge;
mod stops_at_once;
mod subject;
mod summary_above_threshold;
mod summary_failure_stops;
mod summary_without_failure;
mod summary_without_limit;
mod suppression;
mod suppression_without_reason;
mod suspicious_magnitude;
mod suspicious_share;
mod target;
mod target_above_threshold;
mod target_below_overhead;
mod target_too_near;
mod task_not_pinned;
mod threshold_below_measured_overhead;
mod threshold_below_overhead;
mod tiny_trim;
mod tokens_chars_mix;
mod tokens_instead_of_share;
mod too_many_retries;
mod tool_never_seen;
mod tool_not_declared;
mod tools;
mod trim_after_mask;
mod trim_longer_than_before;
mod turned_comparison;
mod unbounded_run;
mod undecided_condition;
mod undocumented_rule;
mod unguarded_injection;
mod unit_number;
mod unknown_cost;
mod unknown_model;
mod unknown_suppression;
mod unless_not;
mod unreachable_after_stop;
mod untested_rule;
mod untitled_policy;
mod unused_let;
mod unused_prompt;
mod unused_suppression;
mod unused_use;
mod volatile_placeholder;
mod window_smaller_than_count;
mod zones_cover_everything;

pub use descriptor::{CATEGORIES, Category, Certainty, Check, Lint, Remedy};
pub use fixer::{Applied, Fixed, Refused, settle};
pub use floor::Floor;
pub use settings::{Knob, Settings, Unsettled};
pub use subject::Subject;
pub use suppression::{Stray, Suppression, Suppressions};

use self::hold::Holds;
use crate::diagnostic::Diagnostic;
use crate::simulate::Trace;
use crate::source::Span;

/// All lints, in the order of the reference: by category, then by name.
pub static LINTS: &[&Lint] = &[
    &exact_equality::LINT,
    &mixed_keep_units::LINT,
    &share_without_window::LINT,
    &suspicious_magnitude::LINT,
    &suspicious_share::LINT,
    &tokens_chars_mix::LINT,
    &tokens_instead_of_share::LINT,
    &always_true::LINT,
    &boundary_overlap::LINT,
    &duplicate_rule::LINT,
    &end_already_holds::LINT,
    &end_never_holds::LINT,
    &gap_between_rules::LINT,
    &guard_never_opens::LINT,
    &idle_unless::LINT,
    &never_true::LINT,
    &redundant_part::LINT,
    &undecided_condition::LINT,
    &unreachable_after_stop::LINT,
    &early_reduction::LINT,
    &heavy_before_light::LINT,
    &late_first_reduction::LINT,
    &no_headroom::LINT,
    &no_hysteresis::LINT,
    &no_last_resort::LINT,
    &reported_across_phases::LINT,
    &reported_ladder::LINT,
    &steps_too_close::LINT,
    &summary_above_threshold::LINT,
    &target_above_threshold::LINT,
    &target_below_overhead::LINT,
    &target_too_near::LINT,
    &threshold_below_overhead::LINT,
    &turned_comparison::LINT,
    &keep_covers_trigger::LINT,
    &keep_nothing::LINT,
    &task_not_pinned::LINT,
    &window_smaller_than_count::LINT,
    &zones_cover_everything::LINT,
    &empty_selection::LINT,
    &errors_included::LINT,
    &idle_label::LINT,
    &inject_before_summarise::LINT,
    &long_placeholder::LINT,
    &mask_without_preview::LINT,
    &preview_not_shorter::LINT,
    &reduce_after_summarise::LINT,
    &repeated_name::LINT,
    &tiny_trim::LINT,
    &tool_not_declared::LINT,
    &trim_after_mask::LINT,
    &trim_longer_than_before::LINT,
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
    &stop_without_nudge::LINT,
    &unguarded_injection::LINT,
    &cache_trickle::LINT,
    &early_and_often::LINT,
    &edits_in_two_phases::LINT,
    &no_minimum_saving::LINT,
    &volatile_placeholder::LINT,
    &fallback_decides::LINT,
    &no_failure_handling::LINT,
    &no_single_result_limit::LINT,
    &stops_at_once::LINT,
    &summary_failure_stops::LINT,
    &summary_without_failure::LINT,
    &summary_without_limit::LINT,
    &too_many_retries::LINT,
    &unbounded_run::LINT,
    &unknown_cost::LINT,
    &disabled_without_reason::LINT,
    &override_changes_nothing::LINT,
    &repeated_threshold::LINT,
    &repeated_value::LINT,
    &single_use_let::LINT,
    &unknown_model::LINT,
    &untested_rule::LINT,
    &unused_let::LINT,
    &unused_prompt::LINT,
    &unused_use::LINT,
    &chain_of_equalities::LINT,
    &double_negation::LINT,
    &explicit_default::LINT,
    &flipped_comparison::LINT,
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
    &expired_suppression::LINT,
    &suppression_without_reason::LINT,
    &unknown_suppression::LINT,
    &unused_suppression::LINT,
    &always_fires::LINT,
    &errors_dominate::LINT,
    &never_fires::LINT,
    &reduced_result_fetched_again::LINT,
    &threshold_below_measured_overhead::LINT,
    &tool_never_seen::LINT,
];

/// The lint of this name.
pub fn find(name: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.name() == name).copied()
}

/// What the lints have to say of a file.
#[derive(Debug, Default)]
pub struct Advice {
    /// Findings, by place.
    pub findings: Vec<Diagnostic>,
    /// Findings that a comment allows, with its reason.
    pub suppressed: Vec<(Diagnostic, String)>,
}

/// A day as year, month and day.
pub type Day = (u16, u8, u8);

/// Looks at a file with all lints that the settings want. Lints on evidence stay silent without traces.
/// Suppressions that expired before `today` do not count; none expires when nobody tells the day.
pub fn advise(subject: &Subject<'_>, traces: Option<&[Trace]>, today: Option<Day>) -> Advice {
    let wanted: Vec<&'static Lint> = LINTS.iter().copied().filter(|lint| subject.settings.wants(lint)).collect();
    let mut found = Vec::new();
    // All lints on one rule, then on the next, since a large policy does not fit the cache of a processor.
    for (_, rule) in subject.rules() {
        for lint in &wanted {
            if let Check::Rule(check) = lint.check {
                check(subject, rule, &mut found);
            }
        }
    }
    for lint in &wanted {
        match (lint.check, traces) {
            (Check::File(check), _) => check(subject, &mut found),
            (Check::Evidence(check), Some(traces)) => check(subject, traces, &mut found),
            (Check::Evidence(_), None) | (Check::Rule(_) | Check::Suppressions(_), _) => {}
        }
    }
    yield_to_the_more_exact(&mut found);
    found.retain(|one| one.primary.span.source == subject.source.id());
    let holds = Holds::of(subject);
    let pairs = once_then_until::Pairs::of(subject);
    for one in &mut found {
        one.fixes.retain_mut(|fix| pairs.keep_apart(subject, fix));
        one.fixes.retain(|fix| remark::kept(subject, fix));
        holds.settle(&mut one.fixes);
    }
    let mut suppressions = Suppressions::read(subject, today, traces.is_some());
    let (mut findings, suppressed) = suppressions.split(found);
    let mut about = Vec::new();
    for lint in &wanted {
        if let Check::Suppressions(check) = lint.check {
            check(&suppressions, &mut about);
        }
    }
    findings.extend(about);
    for one in &mut findings {
        one.severity = subject.settings.severity(one);
    }
    crate::diagnostic::sort(&mut findings);
    Advice { findings, suppressed }
}

/// Drops findings of which a more exact lint has spoken at the same place.
fn yield_to_the_more_exact(found: &mut Vec<Diagnostic>) {
    let mut exact: Vec<(Span, &'static [&'static str])> = found
        .iter()
        .filter_map(|one| find(one.code.id).map(|lint| (one.primary.span, lint.over)))
        .filter(|(_, over)| !over.is_empty())
        .collect();
    exact.sort_by_key(|(span, _)| (span.source, span.start));
    let longest = exact.iter().map(|(span, _)| span.end.saturating_sub(span.start)).max().unwrap_or(0);
    found.retain(|one| {
        let span = one.primary.span;
        // Only those that begin before its end, and not too far before its start, can overlap it.
        let last = exact.partition_point(|(other, _)| (other.source, other.start) < (span.source, span.end));
        let near = |other: Span| other.source == span.source && other.start.saturating_add(longest) > span.start;
        let mut overlapping = exact[..last].iter().rev().take_while(|(other, _)| near(*other));
        !overlapping.any(|(other, over)| other.end > span.start && over.contains(&one.code.id))
    });
}

#[cfg(test)]
mod tests;
