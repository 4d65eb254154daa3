//! The descriptor of a lint: plain data with its documentation, its examples and its check.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::Span;
use trimtab_language::check::Rule;
use trimtab_simulate::simulate::Trace;

use super::option::LintOption;
use super::subject::Subject;
use super::suppression::Suppressions;

/// A lint.
#[derive(Debug)]
pub struct Lint {
    /// Its name in kebab case, default severity, title, explanation, and an example before and after the fix.
    pub code: Code,
    /// The category, which is also the name of its folder.
    pub category: Category,
    /// How certain its findings are.
    pub certainty: Certainty,
    /// Whether its findings have fixes, and whether these are safe.
    pub fix: FixAvailability,
    /// Whether it is disabled unless it is selected.
    pub pedantic: bool,
    /// Links to published incidents and discussions of the problem.
    pub evidence: &'static [&'static str],
    /// Less specific lints whose findings are dropped where this lint has an overlapping finding.
    pub supersedes: &'static [&'static str],
    /// Its options in the settings.
    pub options: &'static [&'static LintOption],
    /// The function that finds problems.
    pub check: Check,
}

/// The subject of a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Numbers and their units.
    Units,
    /// Conditions that never hold, always hold, or hide other rules.
    Reachability,
    /// Thresholds, and the order of cheap and costly reductions.
    Thresholds,
    /// What effects keep, and windows of calls.
    Kept,
    /// Effects that undo or hide each other.
    Effects,
    /// Injected messages.
    Injection,
    /// Edits that invalidate the prompt cache.
    Cache,
    /// Failures, stops and limits.
    Safety,
    /// Definitions and their uses.
    Definitions,
    /// How a policy is written.
    Style,
    /// Comments that suppress findings.
    Suppression,
    /// Problems that replays of recordings show.
    Evidence,
}

/// All categories with their names and summaries, in the order of the reference.
pub static CATEGORIES: &[(Category, &str, &str)] = &[
    (Category::Units, "units", "Numbers and their units"),
    (Category::Reachability, "reachability", "Conditions that never hold, always hold, or hide other rules"),
    (Category::Thresholds, "thresholds", "Thresholds, and the order of cheap and costly reductions"),
    (Category::Kept, "kept", "What effects keep, and windows of calls"),
    (Category::Effects, "effects", "Effects that undo or hide each other"),
    (Category::Injection, "injection", "Injected messages"),
    (Category::Cache, "cache", "Edits that invalidate the prompt cache"),
    (Category::Safety, "safety", "Failures, stops and limits"),
    (Category::Definitions, "definitions", "Definitions and their uses"),
    (Category::Style, "style", "How a policy is written"),
    (Category::Suppression, "suppression", "Comments that suppress findings"),
    (Category::Evidence, "evidence", "Problems that replays of recordings show"),
];

impl Category {
    /// Its name in settings and output.
    pub fn word(self) -> &'static str {
        CATEGORIES.iter().find(|(category, ..)| *category == self).map_or("", |(_, word, _)| word)
    }
}

/// How certain a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// Proved for all values of the facts.
    Proved,
    /// Follows from the structure of the policy.
    Structural,
    /// A rule of thumb.
    Heuristic,
}

impl Certainty {
    /// Its name in settings and output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Structural => "structural",
            Self::Heuristic => "heuristic",
        }
    }
}

/// Whether a lint offers fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixAvailability {
    /// No fixes.
    None,
    /// Safe fixes, which never change what the policy does.
    Safe,
    /// Unsafe fixes, which a person should review.
    Unsafe,
    /// Fixes that are safe if that is certain, and unsafe otherwise.
    Mixed,
}

impl FixAvailability {
    /// Its name in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Mixed => "mixed",
        }
    }
}

/// The function of a lint, by what it reads.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Checks each rule that is written in the file.
    Rule(for<'a> fn(&Subject<'a>, &'a Rule, &mut Vec<Diagnostic>)),
    /// Checks the policies of the file.
    File(fn(&Subject<'_>, &mut Vec<Diagnostic>)),
    /// Checks the text of the file. Other lints read only the checked policies and the syntax tree.
    Text(fn(&Subject<'_>, &mut Vec<Diagnostic>)),
    /// Checks the policies together with the sessions that they are for: the conversations of tests, and replays of
    /// recordings if there are some.
    Sessions(fn(&Subject<'_>, &[Trace], &mut Vec<Diagnostic>)),
    /// Checks the policy together with its replays of recordings.
    Evidence(fn(&Subject<'_>, &[Trace], &mut Vec<Diagnostic>)),
    /// Checks the suppressions of the file, after all other lints.
    Suppressions(fn(&Suppressions<'_>, &mut Vec<Diagnostic>)),
}

impl Lint {
    /// The values of optional fields.
    ///
    /// Every descriptor sets `code`, `category`, `certainty`, `fix` and `check` itself. An empty code does not compile; a
    /// test checks the others.
    pub(super) const DEFAULT: Self = Self {
        code: Code { id: "", severity: Severity::Warning, title: "", why: "", wrong: "", right: "" },
        category: Category::Style,
        certainty: Certainty::Heuristic,
        fix: FixAvailability::None,
        check: Check::File(|_, _| {}),
        pedantic: false,
        evidence: &[],
        supersedes: &[],
        options: &[],
    };

    /// Whether its code is not that of the defaults.
    pub(super) const fn has_code(&self) -> bool {
        !self.code.id.is_empty()
    }

    /// A finding at a place, with a label for the place.
    pub fn finding(&'static self, span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic::new(&self.code, span, message, here)
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.code.id
    }
}
