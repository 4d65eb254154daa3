//! Answers to the questions of a paused step.

use crate::transcript::RecordedAnswer;

/// An answer to a paused step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The summary.
    Summary(String),
    /// The summary failed, for this reason.
    Failed(String),
    /// A person decided to try the summary again.
    Retry,
    /// A person decided to continue without it.
    Continue,
}

impl From<Answer> for RecordedAnswer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Summary(text) => Self::Summary(text),
            Answer::Failed(reason) => Self::Failed(reason),
            Answer::Retry => Self::Retry,
            Answer::Continue => Self::Continue,
        }
    }
}

impl From<RecordedAnswer> for Answer {
    fn from(answer: RecordedAnswer) -> Self {
        match answer {
            RecordedAnswer::Summary(text) => Self::Summary(text),
            RecordedAnswer::Failed(reason) => Self::Failed(reason),
            RecordedAnswer::Retry => Self::Retry,
            RecordedAnswer::Continue => Self::Continue,
        }
    }
}
