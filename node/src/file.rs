//! Policy files.

use std::path::Path;

use napi_derive::napi;
use trimtab::{Diagnostic, LintOptionError, LintOptions, Severity, TestRecordings};

use crate::error::{Kind, Result, json};
use crate::plan::Plan;

/// A compiled policy file.
#[napi]
pub(crate) struct PolicyFile {
    file: trimtab::PolicyFile,
    /// What its tests may read; none if it is a text.
    recordings: Option<TestRecordings>,
}

/// Compiles a policy text. A name that ends in `.yaml` or `.yml` is read as YAML.
#[napi(catch_unwind)]
pub(crate) fn compile(name: String, text: String) -> PolicyFile {
    PolicyFile { file: trimtab::compile(&name, &text), recordings: None }
}

/// Compiles a policy file and the files that it imports.
#[napi(catch_unwind)]
pub(crate) fn compile_file(path: String) -> Result<PolicyFile> {
    let recordings = Some(TestRecordings::of(Path::new(&path)));
    let file = trimtab::compile_file(path).map_err(|error| Kind::File.error(error))?;
    Ok(PolicyFile { file, recordings })
}

/// The text in the layout of `trimtab fmt`; none if it has syntax errors, which `compile` finds too.
#[napi(catch_unwind)]
pub(crate) fn format(name: String, text: String) -> Option<String> {
    trimtab::format(&name, &text).ok()
}

#[napi]
impl PolicyFile {
    /// Whether there are errors, and so no policies.
    #[napi(catch_unwind)]
    pub fn has_errors(&self) -> bool {
        self.file.has_errors()
    }

    /// The plan of a policy: the named one, or the only one that no other extends.
    #[napi(catch_unwind)]
    pub fn plan(&self, policy: Option<String>) -> Result<Plan> {
        self.file.plan(policy.as_deref()).map(Plan).map_err(|error| Kind::Policy.error(error))
    }

    /// The errors and warnings as the JSON of `trimtab validate`.
    #[napi(catch_unwind)]
    pub fn validate(&self) -> Result<String> {
        json(&self.file.findings(self.file.diagnostics()))
    }

    /// The errors as text, as the command prints them.
    #[napi(catch_unwind)]
    pub fn render(&self) -> Option<String> {
        let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
        let errors: Vec<Diagnostic> = self.file.diagnostics().iter().filter(is_error).cloned().collect();
        self.file.render(&errors, "human")
    }

    /// Errors, warnings and findings of lints as the JSON of `trimtab lint`.
    #[napi(catch_unwind)]
    pub fn lint(&self, select: Vec<String>, ignore: Vec<String>) -> Result<String> {
        let invalid = |error: LintOptionError| Kind::Value.error(error);
        let mut options = LintOptions::default();
        if !select.is_empty() {
            options = options.select(&select).map_err(invalid)?;
        }
        for name in &ignore {
            options = options.ignore(name).map_err(invalid)?;
        }
        json(&self.file.lint_result(&options))
    }

    /// Runs the tests of the file. Returns the JSON of `trimtab test --coverage`.
    #[napi(catch_unwind)]
    pub fn test(&self) -> Result<String> {
        let read = |name: &str| match &self.recordings {
            Some(recordings) => recordings.read(name),
            None => Err(format!("cannot read {name}: the policy is no file")),
        };
        json(&self.file.test(&read).map_err(|error| Kind::Policy.error(error))?)
    }
}
