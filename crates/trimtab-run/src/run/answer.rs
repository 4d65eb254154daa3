//! Answers to the questions of a session.

use trimtab_base::playbook::Delta;
use trimtab_recordings::transcript::RecordedAnswer;

/// An answer to a question of a session.
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
    /// A person confirmed that a rule acts.
    Confirmed,
    /// A person declined it, or nobody could be asked.
    Declined,
    /// What the host distilled from the calls of an iteration.
    Strategies(Vec<Delta>),
}

impl Answer {
    /// The strategies, if it has some.
    pub(super) fn into_strategies(self) -> Option<Vec<Delta>> {
        match self {
            Self::Strategies(deltas) => Some(deltas),
            Self::Summary(_) | Self::Failed(_) | Self::Retry | Self::Continue | Self::Confirmed | Self::Declined => {
                None
            }
        }
    }
}

impl From<Answer> for RecordedAnswer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Summary(text) => Self::Summary(text),
            Answer::Failed(reason) => Self::Failed(reason),
            Answer::Retry => Self::Retry,
            Answer::Continue => Self::Continue,
            Answer::Confirmed => Self::Confirmed,
            Answer::Declined => Self::Declined,
            Answer::Strategies(deltas) => Self::Strategies(deltas),
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
            RecordedAnswer::Confirmed => Self::Confirmed,
            RecordedAnswer::Declined => Self::Declined,
            RecordedAnswer::Strategies(deltas) => Self::Strategies(deltas),
        }
    }
}
