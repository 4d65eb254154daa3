//! Lints, fixes and rendered findings.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use trimtab_base::diagnostic::{Diagnostic, Severity};
use trimtab_base::source::{SourceId, SourceLoader};
use trimtab_lint::lint::{self, Settings};
use trimtab_report::report::result::FindingsResult;
use trimtab_report::report::{self, FINDING_FORMATS, Finding, Findings, PolicyError, TerminalStyle};

use super::policy::{PolicyFile, compile_with};
use crate::pipeline::{all_findings, sort_findings};

/// What results are made for, which are no text.
pub(super) const STYLE: TerminalStyle = TerminalStyle { width: 100, color: false, unicode: true };

/// The lints to run.
#[derive(Clone, Debug, Default)]
pub struct LintOptions(Settings);

/// An unknown lint or category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintOptionError {
    message: String,
}

impl fmt::Display for LintOptionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl Error for LintOptionError {}

impl LintOptions {
    /// Runs only these lints: names, categories, or `all`.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn select<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self, LintOptionError> {
        self.0.select(names).map_err(|error| LintOptionError { message: error.reason })?;
        Ok(self)
    }

    /// Does not run this lint or category.
    ///
    /// # Errors
    /// The name is unknown.
    pub fn ignore(mut self, name: &str) -> Result<Self, LintOptionError> {
        self.0.ignore(name).map_err(|error| LintOptionError { message: error.reason })?;
        Ok(self)
    }
}

impl PolicyFile {
    /// Runs lints on the file. A file with errors has no findings. Findings that a comment suppresses are left out.
    pub fn lint(&self, options: &LintOptions) -> Vec<Diagnostic> {
        self.compiler.run_lints(&self.file, &options.0, None, None).findings
    }

    /// Renders diagnostics of this file and of the files that it imports in one of the [`finding_formats`], as `trimtab validate`
    /// does; `None` if there is no such format.
    pub fn render(&self, diagnostics: &[Diagnostic], format: &str) -> Option<String> {
        let format = report::finding_format(format)?;
        Some(self.with_findings(diagnostics, |findings| format.render(findings).into_string()))
    }

    /// Diagnostics of this file and of the files that it imports as the JSON of `trimtab validate` has them, which counts all
    /// these files.
    pub fn findings(&self, diagnostics: &[Diagnostic]) -> FindingsResult {
        self.with_findings(diagnostics, |findings| findings.into())
    }

    /// The errors, warnings and findings of lints in this file, and those that a comment suppresses, as the JSON of
    /// `trimtab lint` has them, which counts only this file.
    pub fn lint_result(&self, options: &LintOptions) -> FindingsResult {
        let outcome = self.compiler.run_lints(&self.file, &options.0, None, None);
        let errors = self.diagnostics().iter().cloned().map(Finding::from);
        let mut all: Vec<Finding> = errors.chain(all_findings(outcome)).collect();
        sort_findings(&mut all);
        self.with(&all, 1, |findings| findings.into())
    }

    /// What is made of diagnostics of all files.
    fn with_findings<T>(&self, diagnostics: &[Diagnostic], make: impl FnOnce(&Findings<'_>) -> T) -> T {
        let findings: Vec<Finding> = diagnostics.iter().cloned().map(Finding::from).collect();
        self.with(&findings, self.sources().iter().count(), make)
    }

    fn with<T>(&self, findings: &[Finding], files: usize, make: impl FnOnce(&Findings<'_>) -> T) -> T {
        make(&Findings {
            sources: self.sources(),
            findings,
            failing: &[Severity::Error],
            files,
            unread: &[],
            codes: &report::rules(),
            version: env!("CARGO_PKG_VERSION"),
            root: "",
            bytes: &BTreeMap::new(),
            style: STYLE,
            quiet: false,
        })
    }

    /// A diagnostic of this file with its texts, as an error that implements `miette::Diagnostic`.
    pub fn error(&self, diagnostic: &Diagnostic) -> PolicyError {
        PolicyError::new(self.sources(), diagnostic)
    }
}

/// The names of the formats in which [`PolicyFile::render`] renders diagnostics.
pub fn finding_formats() -> impl Iterator<Item = &'static str> {
    FINDING_FORMATS.iter().map(|format| format.name)
}

/// A policy text after fixes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FixedPolicy {
    /// The text.
    pub text: String,
    /// The titles of the fixes that were applied, in order.
    pub applied: Vec<String>,
    /// The diagnostics that are left.
    pub remaining: Vec<Diagnostic>,
}

/// Applies the fixes of errors and lints, one round after another. A fix is applied only if it removes its finding and adds
/// none. `unsafe_fixes` includes fixes that may change what the policy does.
pub fn fix(
    name: &str,
    text: &str,
    sources: &mut dyn SourceLoader,
    options: &LintOptions,
    unsafe_fixes: bool,
) -> FixedPolicy {
    // The file being fixed is the first of its compiler.
    let own = SourceId(0);
    let mut analyze = |text: &str| {
        let file = compile_with(name, text, sources);
        let errors = file.diagnostics().iter().filter(|diagnostic| diagnostic.primary.span.source == own).cloned();
        errors.chain(file.lint(options)).collect()
    };
    let fixed = lint::apply_fixes(text, own, unsafe_fixes, &mut analyze);
    let applied = fixed.applied.into_iter().map(|fix| fix.title).collect();
    FixedPolicy { text: fixed.text, applied, remaining: fixed.remaining }
}
