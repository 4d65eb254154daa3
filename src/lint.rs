//! Lints: advice on policies that are sound and still probably not what their author wants.
//!
//! In: a checked file with its tree and comments, settings, and for some lints what replays showed. Out: findings
//! with fixes, and those that a comment suppresses. It draws nothing, reads no file and knows no clock.
//! A lint is one file and two adjacent lines here: `mod` and the entry in [`LINTS`].

mod chain_of_equalities;
mod competing_injections;
mod double_negation;
mod empty_selection;
mod empty_text;
mod errors_included;
mod expired_suppression;
mod explicit_default;
mod fallback_decides;
mod fixer;
mod flipped_comparison;
mod idle_label;
mod inject_before_summarise;
mod injection_as_assistant;
mod injection_as_system;
mod injection_ends_streak;
mod injection_every_call;
mod injection_feeds_itself;
mod large_number;
mod layout;
mod long_injection;
mod long_placeholder;
mod mask_without_preview;
mod name_style;
mod no_failure_handling;
mod no_single_result_limit;
mod nudge_without_stop;
mod number;
mod order;
mod preview_not_shorter;
mod reach;
mod reading;
mod reduce_after_summarise;
mod redundant_guard;
mod redundant_parentheses;
mod repeated_name;
mod repeated_threshold;
mod repeated_value;
mod repeats_in_context_only;
mod settings;
mod shape;
mod single_element_list;
mod single_use_let;
mod stop_without_nudge;
mod stops_at_once;
mod subject;
mod summary_failure_stops;
mod summary_without_failure;
mod summary_without_limit;
mod suppression;
mod suppression_without_reason;
mod tiny_trim;
mod too_many_retries;
mod tool_not_declared;
mod trim_after_mask;
mod trim_longer_than_before;
mod unbounded_run;
mod undocumented_rule;
mod unguarded_injection;
mod unit_number;
mod unknown_cost;
mod unknown_suppression;
mod unless_not;
mod untitled_policy;
mod unused_let;
mod unused_prompt;
mod unused_suppression;

pub use fixer::{Applied, Fixed, settle};
pub use settings::{Knob, Settings, Unsettled};
pub use subject::{Floor, Subject};
pub use suppression::{Stray, Suppression, Suppressions};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::simulate::Trace;
use crate::source::Span;

/// All lints, in the order of the reference: by category, then by name.
pub static LINTS: &[&Lint] = &[
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
    &repeated_threshold::LINT,
    &repeated_value::LINT,
    &single_use_let::LINT,
    &unused_let::LINT,
    &unused_prompt::LINT,
    &chain_of_equalities::LINT,
    &double_negation::LINT,
    &explicit_default::LINT,
    &flipped_comparison::LINT,
    &large_number::LINT,
    &name_style::LINT,
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
    let exact: Vec<(&'static [&'static str], Span)> = found
        .iter()
        .filter_map(|one| find(one.code.id).map(|lint| (lint.over, one.primary.span)))
        .filter(|(over, _)| !over.is_empty())
        .collect();
    if exact.is_empty() {
        return;
    }
    let overlaps = |a: Span, b: Span| a.source == b.source && a.start < b.end && b.start < a.end;
    found.retain(|one| {
        !exact.iter().any(|(over, span)| over.contains(&one.code.id) && overlaps(*span, one.primary.span))
    });
}

#[cfg(test)]
mod tests;
