//! Lints: advice on policies that are sound and still probably not what their author wants.
//!
//! In: a checked file with its tree and comments, settings, and for some lints what replays showed. Out: findings
//! with fixes, and those that a comment suppresses. It draws nothing, reads no file and knows no clock.
//! A lint is one file and two adjacent lines here: `mod` and the entry in [`LINTS`].

mod always_true;
mod boundary_overlap;
mod cache_trickle;
mod double_negation;
mod duplicate_rule;
mod early_and_often;
mod early_reduction;
mod edits_in_two_phases;
mod end_already_holds;
mod end_never_holds;
mod exact_equality;
mod expired_suppression;
mod fixer;
mod gap_between_rules;
mod guard_never_opens;
mod heavy_before_light;
mod idle_unless;
mod keep_covers_trigger;
mod keep_nothing;
mod late_first_reduction;
mod mixed_keep_units;
mod never_true;
mod no_headroom;
mod no_hysteresis;
mod no_last_resort;
mod no_minimum_saving;
mod not_formatted;
mod redundant_part;
mod relief;
mod reported_across_phases;
mod reported_ladder;
mod settings;
mod shape;
mod share_without_window;
mod steps_too_close;
mod subject;
mod summary_above_threshold;
mod suppression;
mod suppression_without_reason;
mod suspicious_magnitude;
mod suspicious_share;
mod target;
mod target_above_threshold;
mod target_below_overhead;
mod target_too_near;
mod task_not_pinned;
mod threshold_below_overhead;
mod tokens_chars_mix;
mod tokens_instead_of_share;
mod undecided_condition;
mod unknown_suppression;
mod unreachable_after_stop;
mod unused_let;
mod unused_prompt;
mod unused_suppression;
mod volatile_placeholder;
mod window_smaller_than_count;
mod zones_cover_everything;

pub use fixer::{Applied, Fixed, settle};
pub use settings::{Knob, Settings, Unsettled};
pub use subject::{Floor, Subject};
pub use suppression::{Stray, Suppression, Suppressions};

use crate::diagnostic::{Code, Diagnostic, Severity};
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
    &keep_covers_trigger::LINT,
    &keep_nothing::LINT,
    &task_not_pinned::LINT,
    &window_smaller_than_count::LINT,
    &zones_cover_everything::LINT,
    &cache_trickle::LINT,
    &early_and_often::LINT,
    &edits_in_two_phases::LINT,
    &no_minimum_saving::LINT,
    &volatile_placeholder::LINT,
    &unused_let::LINT,
    &unused_prompt::LINT,
    &double_negation::LINT,
    &not_formatted::LINT,
    &expired_suppression::LINT,
    &suppression_without_reason::LINT,
    &unknown_suppression::LINT,
    &unused_suppression::LINT,
];

/// A lint: what it is called, why it is, and how it is found.
#[derive(Debug)]
pub struct Lint {
    /// Its name in kebab case, a title, the reason, a text that it finds fault with and the same text set right.
    pub code: Code,
    /// What it is about.
    pub category: Category,
    /// How much a finding matters unless a setting says otherwise.
    pub severity: Severity,
    /// How sure a finding is.
    pub certainty: Certainty,
    /// Whether it can set right what it finds, and how far that can be trusted.
    pub fix: Remedy,
    /// Whether it is off until it is selected.
    pub pedantic: bool,
    /// Where the fault was met: addresses of published incidents and discussions.
    pub evidence: &'static [&'static str],
    /// Lints that say the same of the same place less exactly; they are silent where this one speaks.
    pub over: &'static [&'static str],
    /// What can be set.
    pub knobs: &'static [Knob],
    /// How it looks.
    pub check: Check,
}

/// What a lint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Numbers and their units.
    Units,
    /// Conditions that cannot hold, always hold, or hide others.
    Reachability,
    /// Thresholds, and the order of cheap and heavy relief.
    Thresholds,
    /// What is kept, and the windows that are looked at.
    Zones,
    /// Effects that undo or swallow each other.
    Effects,
    /// Messages that are put in.
    Injection,
    /// What an edit does to the prompt cache.
    Cache,
    /// Failures, stops and limits.
    Safety,
    /// Names that are defined.
    Definitions,
    /// How a policy is written.
    Style,
    /// Comments that allow a finding.
    Suppression,
    /// What replays showed.
    Evidence,
}

/// All categories with their words and what they are about, in the order of the reference.
pub static CATEGORIES: &[(Category, &str, &str)] = &[
    (Category::Units, "units", "Numbers and their units"),
    (Category::Reachability, "reachability", "Conditions that cannot hold, always hold, or hide others"),
    (Category::Thresholds, "thresholds", "Thresholds, and the order of cheap and heavy relief"),
    (Category::Zones, "zones", "What is kept, and the windows that are looked at"),
    (Category::Effects, "effects", "Effects that undo or swallow each other"),
    (Category::Injection, "injection", "Messages that are put in"),
    (Category::Cache, "cache", "What an edit does to the prompt cache"),
    (Category::Safety, "safety", "Failures, stops and limits"),
    (Category::Definitions, "definitions", "Names that are defined"),
    (Category::Style, "style", "How a policy is written"),
    (Category::Suppression, "suppression", "Comments that allow a finding"),
    (Category::Evidence, "evidence", "What replays of recordings showed"),
];

impl Category {
    /// Its word in settings and output.
    pub fn word(self) -> &'static str {
        CATEGORIES.iter().find(|(category, ..)| *category == self).map_or("", |(_, word, _)| word)
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// Decided over all values of the facts, with a witness where there is one.
    Proved,
    /// Follows from what is written.
    Structural,
    /// A rule of thumb.
    Heuristic,
}

impl Certainty {
    /// Its word in settings and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Structural => "structural",
            Self::Heuristic => "heuristic",
        }
    }
}

/// Whether a lint can set right what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// No.
    None,
    /// By a change that never alters what the policy does.
    Safe,
    /// By a change that a person should look at.
    Unsafe,
}

impl Remedy {
    /// Its word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// How a lint looks.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// At a checked file.
    File(fn(&Subject<'_>, &mut Vec<Diagnostic>)),
    /// At a checked file and at the replays of its policy.
    Evidence(fn(&Subject<'_>, &[Trace], &mut Vec<Diagnostic>)),
    /// At the suppressions of a file, when all other lints have spoken.
    Suppressions(fn(&Suppressions<'_>, &mut Vec<Diagnostic>)),
}

impl Lint {
    /// A finding at a place with the lint's own severity; `here` says what is at the place.
    pub fn finding(&'static self, span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: self.severity, ..Diagnostic::error(&self.code, span, message, here) }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.code.id
    }
}

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
    for lint in &wanted {
        match (lint.check, traces) {
            (Check::File(check), _) => check(subject, &mut found),
            (Check::Evidence(check), Some(traces)) => check(subject, traces, &mut found),
            (Check::Evidence(_), None) | (Check::Suppressions(_), _) => {}
        }
    }
    yield_to_the_more_exact(&mut found);
    found.retain(|one| one.primary.span.source == subject.source.id());
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
