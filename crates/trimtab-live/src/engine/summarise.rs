//! Summarisers that an engine awaits.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use trimtab_base::conversation::Usage;
use trimtab_language::effect::SummaryRequest;

/// Resolves to a summary, or to the reason why there is none.
pub type SummaryFuture<'a> = Pin<Box<dyn Future<Output = Result<SummaryAnswer, SummaryError>> + Send + 'a>>;

/// Writes summaries while other tasks run.
///
/// Dropping the future cancels the summary. An implementation starts no runtime; it may need the runtime that polls the
/// future.
pub trait Summarise: Send + Sync {
    /// Writes the summary for a request. `number` counts the summaries of a conversation from 1.
    ///
    /// The answer may be longer than the request allows; the effect that requested it decides whether it can be used.
    fn summarise<'a>(&'a self, request: &'a SummaryRequest, number: u64) -> SummaryFuture<'a>;
}

/// A summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryAnswer {
    /// The summary, without white space around it.
    pub text: String,
    /// The tokens that the summary used, if the server reported them.
    pub usage: Option<Usage>,
}

impl From<String> for SummaryAnswer {
    fn from(text: String) -> Self {
        Self { text, usage: None }
    }
}

/// Why there is no summary. The texts contain no keys.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SummaryError {
    /// There was no answer within this time.
    Timeout(Duration),
    /// The server answered with an HTTP status other than success.
    Status {
        /// The status.
        status: u16,
        /// The reason that the server gives; may be empty.
        message: String,
        /// How long the server wants the client to wait before the next request.
        retry_after: Option<Duration>,
    },
    /// The connection was not established or was lost.
    Connection(String),
    /// The model refused to summarise; the text is its reason and may be empty.
    Refused(String),
    /// The answer reached its maximum length and is incomplete.
    CutOff,
    /// The answer does not have the expected form.
    Invalid(String),
    /// The answer has no text.
    Empty,
    /// The answer is longer than this number of bytes.
    TooLong(usize),
    /// The command did not start or failed.
    Command(String),
    /// Several attempts failed.
    Attempts {
        /// How many.
        attempts: u32,
        /// Why the last one failed.
        last: Box<SummaryError>,
    },
    /// Another reason.
    Other(String),
}

impl SummaryError {
    /// The error of the last attempt if there were several, else this error.
    pub fn last(&self) -> &Self {
        match self {
            Self::Attempts { last, .. } => last,
            error => error,
        }
    }
}

impl fmt::Display for SummaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(limit) => write!(f, "no answer within {} s", limit.as_secs_f64()),
            Self::Status { status, message, retry_after } => {
                write!(f, "the server answered with status {status}{}", Reason(message))?;
                let Some(wait) = retry_after else { return Ok(()) };
                write!(f, " (it asks to wait {} s)", wait.as_secs_f64())
            }
            Self::Connection(reason) => write!(f, "the connection failed{}", Reason(reason)),
            Self::Refused(reason) => write!(f, "the model refused to summarise{}", Reason(reason)),
            Self::CutOff => f.write_str("the summary reached the maximum length of an answer and is incomplete"),
            Self::Invalid(reason) => write!(f, "the answer is invalid{}", Reason(reason)),
            Self::Empty => f.write_str("the answer has no text"),
            Self::TooLong(bytes) => write!(f, "the answer is longer than {bytes} bytes"),
            Self::Command(reason) | Self::Other(reason) => f.write_str(reason),
            Self::Attempts { attempts, last } => write!(f, "{attempts} attempts failed, the last one because {last}"),
        }
    }
}

impl std::error::Error for SummaryError {}

/// A reason after a colon; nothing if it is empty.
struct Reason<'a>(&'a str);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}
