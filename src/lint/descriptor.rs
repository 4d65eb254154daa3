//! What a lint is: plain data with its words, its examples and how it looks.

use super::{LintOption, Subject, Suppressions};
use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::simulate::Trace;
use crate::source::Span;

/// A lint: what it is called, why it is, and how it is found.
#[derive(Debug)]
pub struct Lint {
    /// Its name in kebab case, how much a finding matters, a title, the reason, a text that it finds fault with and the
    /// same text set right.
    pub code: Code,
    /// What it is about.
    pub category: Category,
    /// How sure a finding is.
    pub certainty: Certainty,
    /// Whether it can set right what it finds, and how far that can be trusted.
    pub fix: FixAvailability,
    /// Whether it is off until it is selected.
    pub pedantic: bool,
    /// Where the fault was met: addresses of published incidents and discussions.
    pub evidence: &'static [&'static str],
    /// Lints that say the same of the same place less exactly; they are silent where this one speaks.
    pub supersedes: &'static [&'static str],
    /// What can be set.
    pub options: &'static [LintOption],
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
pub enum FixAvailability {
    /// No.
    None,
    /// By a change that never alters what the policy does.
    Safe,
    /// By a change that a person should look at.
    Unsafe,
    /// By a change that is safe where that is sure, else by one that a person should look at.
    Mixed,
}

impl FixAvailability {
    /// Its word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Mixed => "mixed",
        }
    }
}

/// How a lint looks.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// At each rule that is written in a checked file.
    Rule(for<'a> fn(&Subject<'a>, &'a Rule, &mut Vec<Diagnostic>)),
    /// At a checked file.
    File(fn(&Subject<'_>, &mut Vec<Diagnostic>)),
    /// At a checked file and at the replays of its policy.
    Evidence(fn(&Subject<'_>, &[Trace], &mut Vec<Diagnostic>)),
    /// At the suppressions of a file, when all other lints have spoken.
    Suppressions(fn(&Suppressions<'_>, &mut Vec<Diagnostic>)),
}

impl Lint {
    /// A lint without words and without a check: the base of each descriptor, for what most of them leave empty.
    /// A descriptor must have its `code`, `category`, `certainty`, `fix` and `check`; an empty code does not compile.
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

    /// Whether its words are there.
    pub(super) const fn is_described(&self) -> bool {
        let Code { id, title, why, wrong, right, .. } = &self.code;
        !(id.is_empty() || title.is_empty() || why.is_empty() || wrong.is_empty() || right.is_empty())
    }

    /// A finding at a place; `here` says what is at the place.
    pub fn finding(&'static self, span: Span, message: impl Into<String>, here: impl Into<String>) -> Diagnostic {
        Diagnostic::new(&self.code, span, message, here)
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.code.id
    }
}
