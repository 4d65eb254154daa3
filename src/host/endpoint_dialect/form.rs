//! What a dialect states about itself, so that no other file needs to know which one a server offers.

use reqwest::Url;
use serde_json::Value;
use trimtab_language::effect::SummaryRequest;
use trimtab_live::engine::{SummaryAnswer, SummaryError};

use crate::host::prompt::summary_prompt;

/// How a model server is asked for a summary.
#[derive(Debug)]
pub(in super::super) struct EndpointForm {
    /// The base URL of the server that defines the interface.
    pub(super) base_url: &'static str,
    /// The environment variable that usually contains the key for that server.
    pub(super) key_variable: &'static str,
    /// The path of the interface below the version.
    pub(in super::super) path: &'static str,
    /// The name of the header that contains the key, and what precedes the key in it.
    pub(in super::super) key_header: (&'static str, &'static str),
    /// Further headers of a request.
    pub(in super::super) headers: &'static [(&'static str, &'static str)],
    /// Writes the body of a request.
    pub(super) write_body: fn(&ModelRequest<'_>) -> Value,
    /// Reads the body of an answer. Texts in errors are those of the server.
    pub(super) read_answer: fn(&str) -> Result<SummaryAnswer, SummaryError>,
}

/// What the body of a request says.
pub(super) struct ModelRequest<'a> {
    /// The address that the request is sent to.
    pub(super) url: &'a Url,
    pub(super) model: &'a str,
    pub(super) system: &'a str,
    pub(super) user: &'a str,
    /// The most tokens that the model may write.
    pub(super) max_output: u64,
}

impl EndpointForm {
    /// The body of a request.
    pub(in super::super) fn body(&self, url: &Url, model: &str, request: &SummaryRequest, max_output: u64) -> String {
        let (system, user) = summary_prompt(request);
        let request = ModelRequest { url, model, system: &system, user: &user, max_output };
        (self.write_body)(&request).to_string()
    }

    /// The summary in the body of an answer. Texts in errors are those of the server.
    pub(in super::super) fn answer(&self, body: &str) -> Result<SummaryAnswer, SummaryError> {
        let answer = (self.read_answer)(body)?;
        let text = answer.text.trim().to_owned();
        if text.is_empty() { Err(SummaryError::Empty) } else { Ok(SummaryAnswer { text, ..answer }) }
    }
}
