//! Policy files.

use std::path::PathBuf;

use pyo3::prelude::*;
use trimtab::{Diagnostic, LintOptions, Severity};

use crate::error::PolicyError;
use crate::plan::Plan;

/// A compiled policy file.
#[pyclass(frozen)]
pub(crate) struct PolicyFile(trimtab::PolicyFile);

/// Compiles a policy text. A name that ends in `.yaml` or `.yml` is read as YAML.
#[pyfunction]
pub(crate) fn compile(py: Python<'_>, name: &str, text: &str) -> PolicyFile {
    PolicyFile(py.detach(|| trimtab::compile(name, text)))
}

/// Compiles a policy file and the files that it imports.
#[pyfunction]
pub(crate) fn compile_file(py: Python<'_>, path: PathBuf) -> PyResult<PolicyFile> {
    Ok(PolicyFile(py.detach(|| trimtab::compile_file(path))?))
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
        self.0.has_errors()
    }

    /// The names of the policies.
    fn policies(&self) -> Vec<String> {
        self.0.policies().map(str::to_owned).collect()
    }

    /// The plan of a policy: the named one, or the only one that no other extends.
    fn plan(&self, policy: Option<&str>) -> PyResult<Plan> {
        self.0.plan(policy).map(Plan).map_err(|error| PolicyError::new_err(error.to_string()))
    }

    /// The errors and warnings as the JSON of `trimtab validate`.
    fn diagnostics(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.findings(self.0.diagnostics()))
    }

    /// The errors and warnings as text, as the command prints them.
    fn render(&self, py: Python<'_>) -> Option<String> {
        let errors: Vec<Diagnostic> =
            self.0.diagnostics().iter().filter(|found| found.severity == Severity::Error).cloned().collect();
        py.detach(|| self.0.render(&errors, "human"))
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
        py.detach(|| json(&self.0.lint_result(&options)))
    }

    /// Runs the tests of the file. Returns the JSON of `trimtab test --coverage`. `read` gives the bytes of a recording that a
    /// test names; an exception in it fails the test.
    fn test(&self, read: &Bound<'_, PyAny>) -> PyResult<String> {
        let recording = |path: &str| -> Result<Vec<u8>, String> {
            let bytes = read.call1((path,)).and_then(|bytes| bytes.extract());
            bytes.map_err(|error| error.value(read.py()).to_string())
        };
        let result = self.0.test(&recording).map_err(|error| PolicyError::new_err(error.to_string()))?;
        json(&result)
    }
}

impl PolicyFile {
    fn findings(&self, diagnostics: &[Diagnostic]) -> PyResult<String> {
        json(&self.0.findings(diagnostics))
    }
}

/// A result as JSON.
pub(crate) fn json(result: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(result).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}
