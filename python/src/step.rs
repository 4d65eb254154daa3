//! What a session needs next.

use pyo3::prelude::*;
use trimtab::{ElementEdit, FailedSummary, Next, PreparedRequest, Question, RequestHandle, RuleFiring};

/// What a session needs next: `kind` is `ready`, `send`, `summarise`, `ask`, `reflect` or `stop`.
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
#[pyclass(frozen, get_all)]
pub(crate) struct Summary {
    instructions: String,
    previous: Option<String>,
    transcript: String,
    at_most: Option<u64>,
}

/// A request that is ready to be sent.
#[pyclass(frozen, get_all)]
pub(crate) struct Prepared {
    json: String,
    edits: Vec<Edit>,
    hidden_tools: Vec<String>,
    prompt_additions: Vec<String>,
    tokens: u64,
    firings: Vec<Firing>,
    failed_summaries: Vec<Failure>,
    call: Call,
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

    pub(crate) fn of(py: Python<'_>, next: Next) -> PyResult<Self> {
        let question = |question| Some(Handle(question));
        Ok(match next {
            Next::Send(request) => {
                Self { request: Some(Py::new(py, Prepared::from(request))?), ..Self::of_kind("send") }
            }
            Next::Summarise(asked, request) => {
                let summary = Summary {
                    instructions: request.instructions,
                    previous: request.previous,
                    transcript: request.transcript,
                    at_most: request.at_most,
                };
                Self { summary: Some(Py::new(py, summary)?), question: question(asked), ..Self::of_kind("summarise") }
            }
            Next::Ask(asked, reason) => {
                Self { reason: Some(reason), question: question(asked), ..Self::of_kind("ask") }
            }
            Next::Stop { rule, reason } => Self { rule: Some(rule), reason: Some(reason), ..Self::of_kind("stop") },
            // A host without a reflector of its own is not asked for strategies.
            _ => Self::of_kind("ready"),
        })
    }
}

impl From<PreparedRequest> for Prepared {
    fn from(request: PreparedRequest) -> Self {
        Self {
            json: str::to_owned(&request.json),
            edits: request.edits.into_iter().map(Edit::from).collect(),
            hidden_tools: request.hidden_tools,
            prompt_additions: request.prompt_additions,
            tokens: request.tokens,
            firings: request.firings.into_iter().map(Firing::from).collect(),
            failed_summaries: request.failed_summaries.into_iter().map(Failure::from).collect(),
            call: Call(request.handle),
        }
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
