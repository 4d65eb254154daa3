//! The outcome of a step.

use smol_str::SmolStr;
use trimtab_base::hook::{Emitted, Event};
use trimtab_language::effect::Signal;

use super::explanation::Explanation;
use super::firing::{Firing, IdleAction};

/// The outcome of one phase.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The rules that were due, in the order in which they were tried.
    pub due: Vec<DueRule>,
    /// The signals to the host, in order.
    pub signals: Vec<RuleSignal>,
    /// An explanation of each rule of the phase, if the step was to explain.
    pub explanations: Vec<Explanation>,
}

impl Outcome {
    /// Whether some rule edited the conversation.
    pub fn edited(&self) -> bool {
        self.due.iter().any(|rule| matches!(&rule.firing, Some(firing) if !firing.receipts.is_empty()))
    }

    /// Returns why the run ends, or `None` if it goes on.
    pub fn stop(&self) -> Option<Stop> {
        self.signals.iter().find_map(|RuleSignal { rule, signal }| {
            signal.stop().map(|reason| Stop { rule: rule.clone(), text: reason.to_owned() })
        })
    }

    /// Adds a signal of a rule. A stop replaces an earlier one.
    pub(super) fn add_signal(&mut self, rule: &SmolStr, signal: Signal) {
        if signal.stop().is_some() {
            self.signals.retain(|earlier| earlier.signal.stop().is_none());
        }
        self.signals.push(RuleSignal { rule: rule.clone(), signal });
    }
}

/// A rule that was due.
#[derive(Clone, Debug)]
pub struct DueRule {
    /// Its index in the plan.
    pub rule: usize,
    /// What it did, or `None` if there was nothing to do.
    pub firing: Option<Firing>,
    /// Why there was nothing to do, action by action; empty if the rule did something.
    pub idle: Vec<IdleAction>,
    /// Why its summary failed, if it did.
    pub failure: Option<String>,
    /// Whether a person declined it, so that it did nothing.
    pub is_declined: bool,
}

/// A signal to the host.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSignal {
    /// The rule that sends it.
    pub rule: SmolStr,
    /// The signal.
    pub signal: Signal,
}

impl RuleSignal {
    /// The event for the hooks of the host, or `None` if it is another signal.
    pub fn event(&self) -> Option<Event> {
        let Signal::Emit { name, fields } = &self.signal else { return None };
        Some(Event::Emit(Emitted { rule: self.rule.to_string(), name: name.clone(), fields: fields.clone() }))
    }
}

/// What a person is asked before a rule acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The rule that asks.
    pub rule: SmolStr,
    /// The question.
    pub question: String,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The rule that ends it.
    pub rule: SmolStr,
    /// The reason.
    pub text: String,
}
