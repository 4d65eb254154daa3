//! Decisions of a person after a failed summary.

use std::future::{Future, ready};
use std::pin::Pin;

/// A decision that is awaited.
pub type DecisionFuture<'a> = Pin<Box<dyn Future<Output = Decision> + Send + 'a>>;

/// What happens after a summary has failed under `on_failure ask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The summary is tried again.
    Retry,
    /// The run continues without the summary.
    Continue,
}

/// An answer of a person that is awaited: whether a rule acts.
pub type ConfirmationFuture<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

/// Asks a person whether a failed summary is tried again, and whether a rule acts.
pub trait Decide: Send + Sync {
    /// Asks, given why the summary has failed. Dropping the future withdraws the question.
    fn decide<'a>(&'a self, reason: &'a str) -> DecisionFuture<'a>;

    /// Asks the question of a rule with `confirm`. Without this method, every question is declined.
    fn confirm<'a>(&'a self, _rule: &'a str, _question: &'a str) -> ConfirmationFuture<'a> {
        Box::pin(ready(false))
    }
}
