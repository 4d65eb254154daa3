//! Policy files.

use std::path::PathBuf;

use pyo3::prelude::*;
use trimtab::{Diagnostic, LintOptions, Severity, TestRecordings};

use crate::error::PolicyError;
use crate::plan::Plan;

/// A compiled policy file.
#[pyclass(frozen)]
pub(crate) struct PolicyFile {
    file: trimtab::PolicyFile,
    /// What its tests may read; none if it is a text.
    recordings: Option<TestRecordings>,
}

/// Compiles a policy text. A name that ends in `.yaml` or `.yml` is read as YAML.
#[pyfunction]
pub(crate) fn compile(py: Python<'_>, name: &str, text: &str) -> PolicyFile {
    PolicyFile { file: py.detach(|| trimtab::compile(name, text)), recordings: None }
}

/// Compiles a policy file and the files that it imports.
#[pyfunction]
pub(crate) fn compile_file(py: Python<'_>, path: PathBuf) -> PyResult<PolicyFile> {
    let recordings = Some(TestRecordings::of(&path));
    Ok(PolicyFile { file: py.detach(|| trimtab::compile_file(path))?, recordings })
}

/// The text in the layout of `trimtab fmt`; none if it has syntax errors, which `compile` finds too.
#[pyfunction]
pub(crate) fn format(py: Python<'_>, name: &str, text: &str) -> Option<String> {
    py.detach(|| trimtab::format(name, text)).ok()
}

#[pymethods]
impl PolicyFile {
    /// Whether there are errors, and so no policies.
    fn has_errors(&self) -> bool {
        self.file.has_errors()
    }

    /// The names of the policies.
    fn policies(&self) -> Vec<String> {
        self.file.policies().map(str::to_owned).collect()
    }

    /// The plan of a policy: the named one, or the only one that no other extends.
    fn plan(&self, policy: Option<&str>) -> PyResult<Plan> {
        self.file.plan(policy).map(Plan).map_err(|error| PolicyError::new_err(error.to_string()))
    }

    /// The errors and warnings as the JSON of `trimtab validate`.
    fn validate(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.findings(self.file.diagnostics()))
    }

    /// The errors and warnings as text, as the command prints them.
    fn render(&self, py: Python<'_>) -> Option<String> {
        let errors: Vec<Diagnostic> =
            self.file.diagnostics().iter().filter(|found| found.severity == Severity::Error).cloned().collect();
        py.detach(|| self.file.render(&errors, "human"))
    }

    /// Errors, warnings and findings of lints as the JSON of `trimtab lint`.
    fn lint(&self, py: Python<'_>, select: Vec<String>, ignore: Vec<String>) -> PyResult<String> {
        let invalid = |error: trimtab::LintOptionError| pyo3::exceptions::PyValueError::new_err(error.to_string());
        let mut options = LintOptions::default();
        if !select.is_empty() {
            options = options.select(&select).map_err(invalid)?;
        }
        for name in &ignore {
            options = options.ignore(name).map_err(invalid)?;
        }
        py.detach(|| json(&self.file.lint_result(&options)))
    }

    /// Runs the tests of the file. Returns the JSON of `trimtab test --coverage`.
    fn test(&self, py: Python<'_>) -> PyResult<String> {
        let read = |name: &str| match &self.recordings {
            Some(recordings) => recordings.read(name),
            None => Err(format!("cannot read {name}: the policy is no file")),
        };
        let result = py.detach(|| self.file.test(&read));
        json(&result.map_err(|error| PolicyError::new_err(error.to_string()))?)
    }
}

impl PolicyFile {
    fn findings(&self, diagnostics: &[Diagnostic]) -> PyResult<String> {
        json(&self.file.findings(diagnostics))
    }
}

/// A result as JSON.
pub(crate) fn json(result: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(result).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}
