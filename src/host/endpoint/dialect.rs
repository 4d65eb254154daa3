//! The interfaces of model servers.

use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderName};
use trimtab_language::effect::SummaryRequest;
use trimtab_live::engine::{SummaryAnswer, SummaryError};

use super::{anthropic, openai};
use crate::host::prompt::summary_prompt;

/// The interface that a model server offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointDialect {
    /// `POST /v1/chat/completions`, as OpenAI defines it and many servers offer it.
    OpenAi,
    /// `POST /v1/messages`, as Anthropic defines it.
    Anthropic,
}

impl EndpointDialect {
    /// The base URL of the server that defines the interface.
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
        }
    }

    /// The environment variable that usually contains the key for that server.
    pub const fn key_variable(self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
        }
    }

    /// The path of the interface below the version.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "chat/completions",
            Self::Anthropic => "messages",
        }
    }

    /// The header that contains the key, and what precedes the key in it.
    pub(super) const fn key_header(self) -> (HeaderName, &'static str) {
        match self {
            Self::OpenAi => (AUTHORIZATION, "Bearer "),
            Self::Anthropic => (HeaderName::from_static("x-api-key"), ""),
        }
    }

    /// Further headers of a request.
    pub(super) const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::OpenAi => &[],
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// The body of a request.
    pub(super) fn body(self, url: &Url, model: &str, request: &SummaryRequest, max_output: u64) -> String {
        let (system, user) = summary_prompt(request);
        match self {
            Self::OpenAi => openai::body(url, model, &system, &user, max_output),
            Self::Anthropic => anthropic::body(model, &system, &user, max_output),
        }
        .to_string()
    }

    /// The summary in the body of an answer. Texts in errors are those of the server.
    pub(super) fn answer(self, body: &str) -> Result<SummaryAnswer, SummaryError> {
        let answer = match self {
            Self::OpenAi => openai::answer(body),
            Self::Anthropic => anthropic::answer(body),
        }?;
        let text = answer.text.trim().to_owned();
        if text.is_empty() { Err(SummaryError::Empty) } else { Ok(SummaryAnswer { text, ..answer }) }
    }
}
