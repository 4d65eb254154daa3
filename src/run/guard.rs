//! Guards: what holds a rule back beside its condition.

use super::state::RuleState;
use crate::check::{Guard, Rule};
use crate::condition::{holds, read};
use crate::fact::Facts;
use crate::quantity::{Decimal, Value};

/// What came of trying a rule.
#[derive(Clone, Debug, Default)]
pub(super) struct Trial {
    /// Whether the condition holds; none when that cannot be known.
    pub(super) condition: Option<bool>,
    /// The guards that hold the rule back, by their index.
    pub(super) held: Vec<usize>,
    /// The value of `once per`'s fact, to be remembered when the rule fires.
    pub(super) value: Option<Decimal>,
    /// Whether `until` keeps the rule going.
    pub(super) latched: bool,
    /// Whether `unless` holds back a rule that `until` keeps going.
    pub(super) barred: bool,
}

impl Trial {
    /// Whether the rule is due.
    pub(super) fn is_due(&self) -> bool {
        (self.latched || self.condition == Some(true)) && !self.barred && self.held.is_empty()
    }
}

/// Reads condition and guards and brings the rule's memory up to date. The ends of `until` are read before the condition.
pub(super) fn attempt(rule: &Rule, state: &mut RuleState, facts: &dyn Facts, iteration: u64) -> Trial {
    for guard in &rule.guards {
        match &guard.node {
            Guard::Until(end) if holds(end, facts) == Some(true) => state.latched = false,
            Guard::OnceUntil(end) if holds(end, facts) == Some(true) => state.spent = false,
            _ => {}
        }
    }
    let condition = holds(&rule.condition, facts);
    let latches = rule.guards.iter().any(|guard| matches!(guard.node, Guard::Until(_)));
    state.latched = latches && (state.latched || condition == Some(true));
    if condition == Some(false) {
        state.peak = None;
    }
    let barred = state.latched && rule.unless.as_ref().is_some_and(|unless| holds(unless, facts) != Some(false));
    let mut trial = Trial { condition, latched: state.latched, barred, ..Trial::default() };
    for (at, guard) in rule.guards.iter().enumerate() {
        if let Guard::OncePer(reading) = &guard.node {
            trial.value = read(reading, facts).as_ref().and_then(number);
        }
        if !opens(&guard.node, state, iteration, trial.value) {
            trial.held.push(at);
        }
    }
    trial
}

fn opens(guard: &Guard, state: &RuleState, iteration: u64, value: Option<Decimal>) -> bool {
    match guard {
        Guard::Once => state.fired == 0,
        Guard::OncePer(_) => match (state.peak, value) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(peak), Some(value)) => value > peak,
        },
        Guard::OnceUntil(_) => !state.spent,
        Guard::Until(_) => true,
        Guard::Every(iterations) => iteration > 0 && iteration.is_multiple_of((*iterations).max(1)),
        Guard::Cooldown(iterations) => {
            state.last_attempt.is_none_or(|last| iteration >= last.saturating_add(*iterations))
        }
        Guard::Limit(times) => state.attempts < *times,
    }
}

fn number(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

impl RuleState {
    /// Notes that the rule has fired at an iteration.
    pub(super) fn fire(&mut self, iteration: u64, trial: &Trial) {
        self.attempt(iteration);
        self.fired += 1;
        self.last = Some(iteration);
        self.peak = trial.value.or(self.peak);
        self.spent = true;
    }

    /// Notes that the rule has fired, or that its summary has failed.
    pub(super) fn attempt(&mut self, iteration: u64) {
        self.attempts += 1;
        self.last_attempt = Some(iteration);
    }
}
