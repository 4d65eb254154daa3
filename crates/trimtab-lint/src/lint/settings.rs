//! Which lints are enabled, their severities and their options.

use std::collections::{BTreeMap, BTreeSet};

use trimtab_base::diagnostic::{self, Diagnostic, Severity};
use trimtab_base::quantity::Quantity;

use super::rule::{LINTS, find};
use super::{CATEGORIES, Certainty, Lint, OptionValues};

/// Which lints are enabled, their severities and their options.
#[derive(Clone, Debug)]
pub struct Settings {
    enabled: BTreeSet<&'static str>,
    severities: BTreeMap<&'static str, Severity>,
    options: OptionValues,
    min_certainty: Certainty,
    /// Whether comments can suppress findings.
    pub honors_suppressions: bool,
}

/// A setting that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// What is wrong.
    pub reason: String,
    /// The known word that is closest to the unknown one.
    pub suggestion: Option<&'static str>,
}

impl Default for Settings {
    /// All lints except pedantic ones, with their default severities.
    fn default() -> Self {
        let enabled = LINTS.iter().filter(|lint| !lint.pedantic).map(|lint| lint.name()).collect();
        Self {
            enabled,
            severities: BTreeMap::new(),
            options: OptionValues::default(),
            min_certainty: Certainty::Heuristic,
            honors_suppressions: true,
        }
    }
}

/// The lints that a selector names: a lint, a category, or `all`.
fn resolve(word: &str) -> Result<Vec<&'static Lint>, SettingError> {
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
    Err(SettingError { reason, suggestion: diagnostic::nearest(word, words.chain(["all"])) })
}

impl Settings {
    /// Enables only these lints: names, categories, or `all`.
    ///
    /// # Errors
    /// If a word is neither a lint nor a category.
    pub fn select<S: AsRef<str>>(&mut self, words: &[S]) -> Result<(), SettingError> {
        self.enabled.clear();
        words.iter().try_for_each(|word| self.extend(word.as_ref()))
    }

    /// Enables more lints.
    ///
    /// # Errors
    /// If the word is neither a lint nor a category.
    pub fn extend(&mut self, word: &str) -> Result<(), SettingError> {
        self.enabled.extend(resolve(word)?.iter().map(|lint| lint.name()));
        Ok(())
    }

    /// Disables lints.
    ///
    /// # Errors
    /// If the word is neither a lint nor a category.
    pub fn ignore(&mut self, word: &str) -> Result<(), SettingError> {
        for lint in resolve(word)? {
            self.enabled.remove(lint.name());
        }
        Ok(())
    }

    /// Sets the severity of lints.
    ///
    /// # Errors
    /// If the word is neither a lint nor a category.
    pub fn set_severity(&mut self, word: &str, severity: Severity) -> Result<(), SettingError> {
        self.severities.extend(resolve(word)?.iter().map(|lint| (lint.name(), severity)));
        Ok(())
    }

    /// Sets an option of a lint.
    ///
    /// # Errors
    /// If there is no such lint or option, or the value has another unit.
    pub fn set_option(&mut self, lint: &str, name: &str, value: Quantity) -> Result<(), SettingError> {
        let Some(lint) = find(lint) else { return resolve(lint).map(drop) };
        let Some(option) = lint.options.iter().copied().find(|option| option.name == name) else {
            let reason = format!("`{}` has no setting `{name}`", lint.name());
            return Err(SettingError {
                reason,
                suggestion: diagnostic::nearest(name, lint.options.iter().map(|option| option.name)),
            });
        };
        if option.unit != value.unit {
            let reason =
                format!("`{name}` of `{}` is {}, such as `{}`", lint.name(), option.unit.noun(), option.unit.sample());
            return Err(SettingError { reason, suggestion: None });
        }
        self.options.set(option, value);
        Ok(())
    }

    /// Disables lints that are less certain than this.
    pub const fn set_certainty(&mut self, min_certainty: Certainty) {
        self.min_certainty = min_certainty;
    }

    /// Whether a lint is enabled.
    pub fn is_enabled(&self, lint: &Lint) -> bool {
        self.enabled.contains(lint.name()) && lint.certainty <= self.min_certainty
    }

    /// The severity of a finding.
    pub fn severity(&self, finding: &Diagnostic) -> Severity {
        self.severities.get(finding.code.id).copied().unwrap_or(finding.severity)
    }

    /// The options that are set.
    pub const fn options(&self) -> &OptionValues {
        &self.options
    }
}
