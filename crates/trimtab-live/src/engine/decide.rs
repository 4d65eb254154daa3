//! Decisions of a person after a failed summary.

use std::future::{Future, ready};
use std::pin::Pin;

/// Resolves to the decision of a person.
pub type DecisionFuture<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

/// What happens after a summary has failed under `on_failure ask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The summary is tried again.
    Retry,
    /// The run continues without the summary.
    Continue,
}

/// Resolves to whether a person confirms that a rule acts.
pub type ConfirmationFuture<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

/// Asks a person whether to retry a failed summary and whether to apply a rule with `confirm`.
pub trait Decide: Send + Sync {
    /// Asks whether to retry a summary that failed for this reason. Dropping the future withdraws the question.
    fn decide<'a>(&'a self, reason: &'a str) -> DecisionFuture<'a>;

    /// Asks the question of a rule with `confirm`. The default implementation declines.
    fn confirm<'a>(&'a self, _rule: &'a str, _question: &'a str) -> ConfirmationFuture<'a> {
        Box::pin(ready(false))
    }
}
