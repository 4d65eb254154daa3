//! What a session needs next.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trimtab::{
    ElementEdit, FailedSummary, Next, PreparedRequest, Question, RequestHandle, RequestText, RuleFiring, SummaryRequest,
};

/// What a session needs next: `kind` is `ready`, `send`, `summarise`, `ask`, `confirm`, `reflect` or `stop`.
#[pyclass(frozen, get_all)]
pub(crate) struct Step {
    kind: &'static str,
    request: Option<Py<Prepared>>,
    summary: Option<Py<Summary>>,
    rule: Option<String>,
    reason: Option<String>,
    question: Option<Handle>,
}

/// A question of a session, which only the session reads.
#[pyclass(frozen)]
#[derive(Clone, Copy)]
pub(crate) struct Handle(pub(crate) Question);

/// The request of a reply, which only the session reads.
#[pyclass(frozen)]
#[derive(Clone, Copy)]
pub(crate) struct Call(pub(crate) RequestHandle);

/// A request for a summary.
#[pyclass(frozen)]
pub(crate) struct Summary(SummaryRequest);

/// A request that is ready to be sent.
#[pyclass(frozen)]
pub(crate) struct Prepared {
    request: PreparedRequest,
    /// Whether it is what was given; unknown if a question was answered meanwhile.
    is_unedited: Option<bool>,
}

/// What becomes of an element of the list of messages: `kind` is `keep`, `replace`, `remove` or `insert`.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub(crate) struct Edit {
    kind: &'static str,
    index: Option<usize>,
    json: Option<String>,
}

/// What one rule did at one moment.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub(crate) struct Firing {
    rule: String,
    edits: usize,
    tokens_saved: i64,
    notice: Option<String>,
}

/// A summary that failed.
#[pyclass(frozen, get_all)]
#[derive(Clone)]
pub(crate) struct Failure {
    rule: String,
    reason: String,
}

impl Step {
    fn of_kind(kind: &'static str) -> Self {
        Self { kind, request: None, summary: None, rule: None, reason: None, question: None }
    }

    /// A step after a request with this text was given, or after something else.
    pub(crate) fn of(py: Python<'_>, next: Next, given: Option<&RequestText>) -> PyResult<Self> {
        let question = |question| Some(Handle(question));
        Ok(match next {
            Next::Send(request) => {
                let is_unedited = given.map(|given| request.json == *given);
                Self { request: Some(Py::new(py, Prepared { request, is_unedited })?), ..Self::of_kind("send") }
            }
            Next::Summarise(asked, request) => {
                let summary = Py::new(py, Summary(request))?;
                Self { summary: Some(summary), question: question(asked), ..Self::of_kind("summarise") }
            }
            Next::Ask(asked, reason) => {
                Self { reason: Some(reason), question: question(asked), ..Self::of_kind("ask") }
            }
            Next::Confirm { question: asked, rule, text } => {
                Self { rule: Some(rule), reason: Some(text), question: question(asked), ..Self::of_kind("confirm") }
            }
            Next::Stop { rule, reason } => Self { rule: Some(rule), reason: Some(reason), ..Self::of_kind("stop") },
            // A host without a reflector of its own is not asked for strategies.
            _ => Self::of_kind("ready"),
        })
    }
}

#[pymethods]
impl Summary {
    /// The instructions for the model.
    #[getter]
    fn instructions(&self) -> &str {
        &self.0.instructions
    }

    /// The existing summary that the new one updates.
    #[getter]
    fn previous(&self) -> Option<&str> {
        self.0.previous.as_deref()
    }

    /// The messages to summarise as text.
    #[getter]
    fn transcript(&self) -> &str {
        &self.0.transcript
    }

    /// The maximum length of the summary in tokens.
    #[getter]
    fn at_most(&self) -> Option<u64> {
        self.0.at_most
    }

    /// The system prompt and the message of the user that ask a model for the summary.
    fn prompt(&self) -> (String, String) {
        trimtab::summary_prompt(&self.0)
    }
}

#[pymethods]
impl Prepared {
    /// Whether this text, which was given, is to be sent as it is.
    fn is_given(&self, text: &str) -> bool {
        self.request.json == *text
    }

    /// The same if it is known without the text.
    #[getter]
    fn is_unedited(&self) -> Option<bool> {
        self.is_unedited
    }

    #[getter]
    fn json_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.request.json.as_bytes())
    }

    #[getter]
    fn json(&self) -> &str {
        &self.request.json
    }

    #[getter]
    fn edits(&self) -> Vec<Edit> {
        self.request.edits.iter().cloned().map(Edit::from).collect()
    }

    #[getter]
    fn hidden_tools(&self) -> Vec<String> {
        self.request.hidden_tools.clone()
    }

    #[getter]
    fn prompt_additions(&self) -> Vec<String> {
        self.request.prompt_additions.clone()
    }

    #[getter]
    fn tokens(&self) -> u64 {
        self.request.tokens
    }

    #[getter]
    fn firings(&self) -> Vec<Firing> {
        self.request.firings.iter().cloned().map(Firing::from).collect()
    }

    #[getter]
    fn failed_summaries(&self) -> Vec<Failure> {
        self.request.failed_summaries.iter().cloned().map(Failure::from).collect()
    }

    #[getter]
    fn call(&self) -> Call {
        Call(self.request.handle)
    }
}

impl From<ElementEdit> for Edit {
    fn from(edit: ElementEdit) -> Self {
        let (kind, index, json) = match edit {
            ElementEdit::Keep(index) => ("keep", Some(index), None),
            ElementEdit::Replace(index, json) => ("replace", Some(index), Some(json)),
            ElementEdit::Remove(index) => ("remove", Some(index), None),
            ElementEdit::Insert(json) => ("insert", None, Some(json)),
        };
        Self { kind, index, json }
    }
}

impl From<RuleFiring> for Firing {
    fn from(firing: RuleFiring) -> Self {
        let RuleFiring { rule, edits, tokens_saved, notice, .. } = firing;
        Self { rule, edits, tokens_saved, notice }
    }
}

impl From<FailedSummary> for Failure {
    fn from(failed: FailedSummary) -> Self {
        let FailedSummary { rule, reason, .. } = failed;
        Self { rule, reason }
    }
}
