//! What a session needs next.

use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use trimtab::{ElementEdit, FailedSummary, Next, PreparedRequest, Question, RequestHandle, RequestText, RuleFiring};

/// What a session needs next.
#[napi]
pub(crate) struct Step {
    next: Next,
    /// The request that was given, if nothing was asked since.
    given: Option<RequestText>,
}

/// A request for a summary.
#[napi(object, object_from_js = false)]
pub(crate) struct Summary {
    pub instructions: String,
    pub previous: Option<String>,
    pub transcript: String,
    pub at_most: Option<i64>,
    /// The system prompt that asks a model for the summary.
    pub system: String,
    /// The message of the user with it.
    pub prompt: String,
}

/// A question for a person, or why a rule has stopped the run.
#[napi(object, object_from_js = false)]
pub(crate) struct Reason {
    pub rule: String,
    pub text: String,
}

/// What becomes of an element of the list of messages: `kind` is `keep`, `replace`, `remove` or `insert`.
#[napi(object, object_from_js = false)]
pub(crate) struct Edit {
    pub kind: &'static str,
    pub index: Option<u32>,
    pub json: Option<String>,
}

/// What one rule did at one moment.
#[napi(object, object_from_js = false)]
pub(crate) struct Firing {
    pub rule: String,
    pub edits: u32,
    pub tokens_saved: i64,
    pub notice: Option<String>,
}

/// A summary that failed.
#[napi(object, object_from_js = false)]
pub(crate) struct Failure {
    pub rule: String,
    pub reason: String,
}

/// What has happened on a branch.
#[napi(object, object_from_js = false)]
pub(crate) struct Recorded {
    pub branch: i64,
    pub text: String,
}

impl From<Next> for Step {
    fn from(next: Next) -> Self {
        Self { next, given: None }
    }
}

impl Step {
    /// The step after a request.
    pub(crate) fn after(given: RequestText, next: Next) -> Self {
        Self { next, given: Some(given) }
    }

    /// The question that the session waits for.
    pub(crate) fn question(&self) -> Option<Question> {
        match &self.next {
            Next::Summarise(question, _) | Next::Ask(question, _) | Next::Confirm { question, .. } => Some(*question),
            _ => None,
        }
    }

    /// Whether it is one of a rule with `confirm`.
    pub(crate) fn is_confirmation(&self) -> bool {
        matches!(self.next, Next::Confirm { .. })
    }

    /// Names the request for its reply.
    pub(crate) fn handle(&self) -> Option<RequestHandle> {
        self.request().map(|request| request.handle)
    }

    fn request(&self) -> Option<&PreparedRequest> {
        match &self.next {
            Next::Send(request) => Some(request),
            _ => None,
        }
    }
}

#[napi]
impl Step {
    /// `ready`, `send`, `summarise`, `ask`, `confirm` or `stop`.
    #[napi(getter, catch_unwind)]
    pub fn kind(&self) -> &'static str {
        match &self.next {
            Next::Send(_) => "send",
            Next::Summarise(..) => "summarise",
            Next::Ask(..) => "ask",
            Next::Confirm { .. } => "confirm",
            Next::Stop { .. } => "stop",
            // A host without a reflector of its own is not asked for strategies.
            _ => "ready",
        }
    }

    #[napi(getter, catch_unwind)]
    pub fn summary(&self) -> Option<Summary> {
        let Next::Summarise(_, request) = &self.next else { return None };
        let (system, prompt) = trimtab::summary_prompt(request);
        Some(Summary {
            instructions: request.instructions.clone(),
            previous: request.previous.clone(),
            transcript: request.transcript.clone(),
            at_most: request.at_most.and_then(|tokens| i64::try_from(tokens).ok()),
            system,
            prompt,
        })
    }

    /// What a person is asked, or why the run is stopped.
    #[napi(getter, catch_unwind)]
    pub fn reason(&self) -> Option<Reason> {
        match &self.next {
            Next::Confirm { rule, text, .. } | Next::Stop { rule, reason: text } => {
                Some(Reason { rule: rule.clone(), text: text.clone() })
            }
            _ => None,
        }
    }

    /// The request to send.
    #[napi(getter, catch_unwind)]
    pub fn json(&self) -> Option<String> {
        self.request().map(|request| request.json.to_string())
    }

    /// The request to send in UTF-8.
    #[napi(getter, catch_unwind)]
    pub fn bytes(&self) -> Option<Buffer> {
        self.request().map(|request| request.json.as_bytes().to_vec().into())
    }

    /// Whether the request to send is the one that was given; unknown if a question was answered meanwhile.
    #[napi(getter, catch_unwind)]
    pub fn is_unedited(&self) -> Option<bool> {
        Some(self.request()?.json == *self.given.as_ref()?)
    }

    #[napi(getter, catch_unwind)]
    pub fn edits(&self) -> Vec<Edit> {
        self.request().into_iter().flat_map(|request| &request.edits).map(Edit::from).collect()
    }

    #[napi(getter, catch_unwind)]
    pub fn hidden_tools(&self) -> Vec<String> {
        self.request().map(|request| request.hidden_tools.clone()).unwrap_or_default()
    }

    #[napi(getter, catch_unwind)]
    pub fn prompt_additions(&self) -> Vec<String> {
        self.request().map(|request| request.prompt_additions.clone()).unwrap_or_default()
    }

    /// The estimated size of the context.
    #[napi(getter, catch_unwind)]
    pub fn tokens(&self) -> Option<i64> {
        self.request().and_then(|request| i64::try_from(request.tokens).ok())
    }

    #[napi(getter, catch_unwind)]
    pub fn firings(&self) -> Vec<Firing> {
        self.request().into_iter().flat_map(|request| request.firings.iter().cloned()).map(Firing::from).collect()
    }

    #[napi(getter, catch_unwind)]
    pub fn failed_summaries(&self) -> Vec<Failure> {
        let failed = self.request().into_iter().flat_map(|request| request.failed_summaries.iter().cloned());
        failed.map(|FailedSummary { rule, reason, .. }| Failure { rule, reason }).collect()
    }
}

impl From<&ElementEdit> for Edit {
    fn from(edit: &ElementEdit) -> Self {
        let (kind, index, json) = match edit {
            ElementEdit::Keep(index) => ("keep", Some(*index), None),
            ElementEdit::Replace(index, json) => ("replace", Some(*index), Some(json.clone())),
            ElementEdit::Remove(index) => ("remove", Some(*index), None),
            ElementEdit::Insert(json) => ("insert", None, Some(json.clone())),
        };
        Self { kind, index: index.and_then(|index| u32::try_from(index).ok()), json }
    }
}

impl From<RuleFiring> for Firing {
    fn from(firing: RuleFiring) -> Self {
        let RuleFiring { rule, edits, tokens_saved, notice, .. } = firing;
        Self { rule, edits: u32::try_from(edits).unwrap_or(u32::MAX), tokens_saved, notice }
    }
}
