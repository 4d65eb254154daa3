//! What a step gives back.

use smol_str::SmolStr;

use super::explanation::Explanation;
use crate::conversation::{Message, Receipt};
use crate::effect::Idle;

/// Everything that came of one phase.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The rules that were due, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// Messages for the coming request only.
    pub views: Vec<Message>,
    /// Texts for the host.
    pub notices: Vec<Notice>,
    /// Why the run stops, if it does.
    pub stop: Option<Stop>,
    /// How each rule's condition came out, when that was asked for.
    pub explanation: Vec<Explanation>,
}

impl Outcome {
    /// Whether some rule changed what is sent.
    #[cfg(any(test, feature = "internals"))]
    pub fn edited(&self) -> bool {
        self.tried.iter().any(|tried| matches!(&tried.firing, Some(firing) if !firing.receipts.is_empty()))
    }
}

/// A rule that was due.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Its index in the plan.
    pub rule: usize,
    /// What it did; none when there was nothing to do.
    pub firing: Option<Firing>,
    /// Why there was nothing to do, action by action; empty when it did something.
    pub idle: Vec<IdleAction>,
    /// Why its summary failed, if it did.
    pub failure: Option<String>,
}

/// What a rule did.
#[derive(Clone, Debug, Default)]
pub struct Firing {
    /// A receipt for each edit.
    pub receipts: Vec<Receipt>,
    /// Tokens by which `down_to` was missed.
    pub short: u64,
    /// Messages put in by `inject`.
    pub injections: usize,
    /// Summaries put in.
    pub summaries: usize,
    /// What it told the host or put into the coming request only: notices, stops, messages `for step`.
    pub signals: usize,
    /// Actions that yielded nothing, and why.
    pub idle: Vec<IdleAction>,
}

/// An action that yielded nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleAction {
    /// The effect and its target, such as `mask results`.
    pub action: String,
    /// Why.
    pub reason: Idle,
}

/// A text for the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The rule that sends it.
    pub rule: SmolStr,
    /// The text.
    pub text: String,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The rule that ends it.
    pub rule: SmolStr,
    /// Why.
    pub text: String,
}
