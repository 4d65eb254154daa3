//! Which lints speak, how loud, and with which limits.

use std::collections::{BTreeMap, BTreeSet};

use super::{CATEGORIES, Certainty, LINTS, Lint, find};
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::quantity::{Decimal, Quantity, Unit};

/// Something about a lint that can be set.
#[derive(Debug)]
pub struct LintOption {
    /// Its name in snake case.
    pub name: &'static str,
    /// What it is in.
    pub unit: Unit,
    /// Its value unless a setting says otherwise; a share is a fraction of one.
    pub default: Decimal,
    /// What it means.
    pub summary: &'static str,
}

/// Which lints speak, how loud, and with which limits.
#[derive(Clone, Debug)]
pub struct Settings {
    wanted: BTreeSet<&'static str>,
    severities: BTreeMap<&'static str, Severity>,
    options: BTreeMap<(&'static str, &'static str), Quantity>,
    least: Certainty,
    /// Whether comments may keep findings back.
    pub honors_suppressions: bool,
}

/// Why a word could not be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// What is wrong.
    pub reason: String,
    /// What was probably meant.
    pub meant: Option<&'static str>,
}

impl Default for Settings {
    /// All lints but the pedantic ones, as loud as they are by themselves.
    fn default() -> Self {
        let wanted = LINTS.iter().filter(|lint| !lint.pedantic).map(|lint| lint.name()).collect();
        Self {
            wanted,
            severities: BTreeMap::new(),
            options: BTreeMap::new(),
            least: Certainty::Heuristic,
            honors_suppressions: true,
        }
    }
}

/// The lints that a word stands for: a lint, a category, or `all`.
fn meant(word: &str) -> Result<Vec<&'static Lint>, SettingError> {
    if let Some(lint) = find(word) {
        return Ok(vec![lint]);
    }
    if word == "all" {
        return Ok(LINTS.to_vec());
    }
    if CATEGORIES.iter().any(|(_, category, _)| *category == word) {
        return Ok(LINTS.iter().copied().filter(|lint| lint.category.word() == word).collect());
    }
    let words = LINTS.iter().map(|lint| lint.name()).chain(CATEGORIES.iter().map(|(_, word, _)| *word));
    let reason = format!("`{word}` is neither a lint nor a category");
    Err(SettingError { reason, meant: diagnostic::nearest(word, words.chain(["all"])) })
}

impl Settings {
    /// Turns only these lints on: names, categories, or `all`.
    ///
    /// # Errors
    /// When a word stands for nothing.
    pub fn select<S: AsRef<str>>(&mut self, words: &[S]) -> Result<(), SettingError> {
        self.wanted.clear();
        words.iter().try_for_each(|word| self.extend(word.as_ref()))
    }

    /// Turns further lints on.
    ///
    /// # Errors
    /// When the word stands for nothing.
    pub fn extend(&mut self, word: &str) -> Result<(), SettingError> {
        self.wanted.extend(meant(word)?.iter().map(|lint| lint.name()));
        Ok(())
    }

    /// Turns lints off.
    ///
    /// # Errors
    /// When the word stands for nothing.
    pub fn ignore(&mut self, word: &str) -> Result<(), SettingError> {
        for lint in meant(word)? {
            self.wanted.remove(lint.name());
        }
        Ok(())
    }

    /// Says how loud lints are.
    ///
    /// # Errors
    /// When the word stands for nothing.
    pub fn set_severity(&mut self, word: &str, severity: Severity) -> Result<(), SettingError> {
        self.severities.extend(meant(word)?.iter().map(|lint| (lint.name(), severity)));
        Ok(())
    }

    /// Sets a option of a lint.
    ///
    /// # Errors
    /// When there is no such lint or option, or the value is in another unit.
    pub fn set_option(&mut self, lint: &str, name: &str, value: Quantity) -> Result<(), SettingError> {
        let Some(lint) = find(lint) else { return meant(lint).map(drop) };
        let Some(option) = lint.options.iter().find(|option| option.name == name) else {
            let reason = format!("`{}` has no setting `{name}`", lint.name());
            return Err(SettingError {
                reason,
                meant: diagnostic::nearest(name, lint.options.iter().map(|option| option.name)),
            });
        };
        if option.unit != value.unit {
            let reason =
                format!("`{name}` of `{}` is {}, such as `{}`", lint.name(), option.unit.noun(), option.unit.sample());
            return Err(SettingError { reason, meant: None });
        }
        self.options.insert((lint.name(), option.name), value);
        Ok(())
    }

    /// Leaves out lints that are less sure than this.
    pub const fn set_certainty(&mut self, least: Certainty) {
        self.least = least;
    }

    /// Whether a lint is to speak.
    pub fn is_enabled(&self, lint: &Lint) -> bool {
        self.wanted.contains(lint.name()) && lint.certainty <= self.least
    }

    /// How loud a finding is.
    pub fn severity(&self, finding: &Diagnostic) -> Severity {
        self.severities.get(finding.code.id).copied().unwrap_or(finding.severity)
    }

    /// The value of a lint's option; 0 for one that it does not have.
    pub fn option(&self, lint: &'static Lint, name: &str) -> Decimal {
        let option = lint.options.iter().find(|option| option.name == name);
        let set = option.and_then(|option| self.options.get(&(lint.name(), option.name)));
        set.map(|value| value.amount).or_else(|| option.map(|option| option.default)).unwrap_or_default()
    }
}
