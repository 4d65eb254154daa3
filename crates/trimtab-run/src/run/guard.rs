//! Evaluates condition and guards of a rule.

use trimtab_base::quantity::{Decimal, Value};
use trimtab_language::check::{Guard, Rule, format_reading};
use trimtab_language::condition::{holds, read};
use trimtab_language::fact::{Facts, Seen};

use super::rule_state::{Position, RuleState, ScopedState};

/// The result of evaluating a rule's condition and guards.
#[derive(Clone, Debug, Default)]
pub(super) struct Evaluation {
    /// Whether `when` is true, or `None` if that is unknown.
    pub(super) when: Option<bool>,
    /// The indices of the guards that prevent the rule from firing.
    pub(super) blocked_by: Vec<usize>,
    /// The value of the fact of `once per`, which is stored when the rule fires.
    pub(super) value: Option<Decimal>,
    /// What the rule sees now of the facts that `changed` compares, which is stored when it fires.
    pub(super) seen: Seen,
    /// Whether `until` keeps the rule triggered.
    pub(super) kept_triggered: bool,
    /// Whether `unless` prevents the rule from firing: it is true, or unknown.
    pub(super) blocked_by_unless: bool,
}

impl Evaluation {
    /// Whether the condition is true, or `until` keeps the rule triggered.
    pub(super) fn is_triggered(&self) -> bool {
        self.kept_triggered || self.when == Some(true)
    }

    /// Whether the rule is due.
    pub(super) fn is_due(&self) -> bool {
        self.is_triggered() && !self.blocked_by_unless && self.blocked_by.is_empty()
    }
}

/// Evaluates condition and guards and updates the state of the rule. The ends of `until` are evaluated before the
/// condition.
pub(super) fn evaluate(rule: &Rule, state: &mut RuleState, facts: &dyn Facts, position: Position) -> Evaluation {
    for guard in &rule.guards {
        let scoped = state.of_mut(guard.scope);
        match &guard.node {
            Guard::Until(end) if holds(end, facts) == Some(true) => scoped.kept_triggered = false,
            Guard::OnceUntil(end) if holds(end, facts) == Some(true) => scoped.used_up = false,
            _ => {}
        }
    }
    let when = holds(&rule.when, facts);
    let latch = rule.guards.iter().find(|guard| matches!(guard.node, Guard::Until(_)));
    let kept_triggered =
        latch.map(|guard| &mut state.of_mut(guard.scope).kept_triggered).is_some_and(|kept_triggered| {
            *kept_triggered |= when == Some(true);
            *kept_triggered
        });
    if when == Some(false) {
        state.all().into_iter().for_each(|scoped| scoped.last_value = None);
    }
    let mut evaluation = Evaluation { when, kept_triggered, ..Evaluation::default() };
    evaluation.blocked_by_unless =
        evaluation.is_triggered() && rule.unless.as_ref().is_some_and(|unless| holds(unless, facts) != Some(false));
    for (index, guard) in rule.guards.iter().enumerate() {
        if let Guard::OncePer(reading) = &guard.node {
            evaluation.value = read(reading, facts).as_ref().and_then(number);
        }
        let (scoped, iteration) = (state.of(guard.scope), position.of(guard.scope));
        if !allows(&guard.node, scoped, iteration, evaluation.value) {
            evaluation.blocked_by.push(index);
        }
    }
    if evaluation.is_due() {
        evaluation.seen = seen(rule, facts);
    }
    evaluation
}

/// The values of the facts that the rule compares.
fn seen(rule: &Rule, facts: &dyn Facts) -> Seen {
    let mut seen = Seen::default();
    for reading in rule.compared() {
        seen.record(format_reading(reading), facts.value(reading.fact, &reading.arguments));
    }
    seen
}

fn allows(guard: &Guard, state: &ScopedState, iteration: u64, value: Option<Decimal>) -> bool {
    match guard {
        Guard::Once => state.fired + state.declined == 0,
        Guard::OncePer(_) => match (state.last_value, value) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(last_value), Some(value)) => value > last_value,
        },
        Guard::OnceUntil(_) => !state.used_up,
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
