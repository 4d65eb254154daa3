//! The outcome of a step.

use smol_str::SmolStr;
use trimtab_base::hook::Emitted;

use super::explanation::Explanation;
use super::firing::{Firing, IdleAction};

/// The outcome of one phase.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The rules that were due, in the order in which they were tried.
    pub due: Vec<DueRule>,
    /// Texts for the host.
    pub notices: Vec<Notice>,
    /// Events for the hooks of the host.
    pub emitted: Vec<Emitted>,
    /// Tools whose results the host should keep more of.
    pub boosts: Vec<Boost>,
    /// Why the run ends, if it does.
    pub stop: Option<Stop>,
    /// An explanation of each rule of the phase, if the step was to explain.
    pub explanations: Vec<Explanation>,
}

impl Outcome {
    /// Whether some rule edited the conversation.
    pub fn edited(&self) -> bool {
        self.due.iter().any(|rule| matches!(&rule.firing, Some(firing) if !firing.receipts.is_empty()))
    }
}

/// A rule that was due.
#[derive(Clone, Debug)]
pub struct DueRule {
    /// Its index in the plan.
    pub rule: usize,
    /// What it did, or `None` if there was nothing to do.
    pub firing: Option<Firing>,
    /// Why there was nothing to do, action by action; empty when it did something.
    pub idle: Vec<IdleAction>,
    /// Why its summary failed, if it did.
    pub failure: Option<String>,
    /// Whether a person declined it, so that it did nothing.
    pub is_declined: bool,
}

/// A text for the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The rule that sends it.
    pub rule: SmolStr,
    /// The text.
    pub text: String,
}

/// What a person is asked before a rule acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The rule that asks.
    pub rule: SmolStr,
    /// The question.
    pub question: String,
}

/// A tool of whose results the host should keep more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boost {
    /// The rule that says so.
    pub rule: SmolStr,
    /// The tool.
    pub tool: SmolStr,
    /// The factor.
    pub factor: u64,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The rule that ends it.
    pub rule: SmolStr,
    /// The reason.
    pub text: String,
}
