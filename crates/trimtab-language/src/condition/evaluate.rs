//! Evaluation of conditions. A test that needs an unknown window is neither true nor false.

use trimtab_base::quantity::{Decimal, Value, share_of};

use crate::check::{Condition, Operand, Reading, Relation, Test, format_reading};
use crate::fact::{Facts, Seen};

/// Returns whether a condition holds, or `None` if that is unknown.
pub fn holds(condition: &Condition, facts: &dyn Facts) -> Option<bool> {
    match condition {
        Condition::Constant(truth) => Some(*truth),
        Condition::All(parts) => fold(parts, facts, false),
        Condition::Any(parts) => fold(parts, facts, true),
        Condition::Not(inner) => holds(inner, facts).map(|truth| !truth),
        Condition::Test(inner) => test(inner, facts),
    }
}

/// Stops at the first part that decides the result. Unknown if no part decides and one is unknown.
fn fold(parts: &[Condition], facts: &dyn Facts, decides: bool) -> Option<bool> {
    let mut unknown = false;
    for part in parts {
        match holds(part, facts) {
            Some(truth) if truth == decides => return Some(decides),
            Some(_) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(!decides)
}

/// The value of a reading: of the fact, or else its fallback.
pub fn read(reading: &Reading, facts: &dyn Facts) -> Option<Value> {
    match reading.own_rule().and_then(|rule| facts.seen(rule, reading.scope())) {
        Some(seen) if reading.fact.compares_facts() => {
            Some(Value::Bool(reading.compared.iter().any(|fact| changed(fact, seen, facts))))
        }
        _ => facts.value(reading.fact, &reading.arguments).or_else(|| reading.fallback.clone()),
    }
}

/// Whether a fact differs from what a rule saw.
pub fn changed(reading: &Reading, seen: &Seen, facts: &dyn Facts) -> bool {
    facts.value(reading.fact, &reading.arguments).as_ref() != seen.value(&format_reading(reading))
}

/// Returns whether a test holds, or `None` if that is unknown.
pub fn test(test: &Test, facts: &dyn Facts) -> Option<bool> {
    let reading = &test.reading;
    match &test.relation {
        Relation::Known => Some(facts.value(reading.fact, &reading.arguments).is_some()),
        Relation::Holds => read(reading, facts).map(|value| value == Value::Bool(true)),
        Relation::OneOf(values) => read(reading, facts).map(|value| values.contains(&value)),
        Relation::Contains(part) => match read(reading, facts)? {
            Value::Text(text) => Some(text.contains(part.as_str())),
            _ => Some(false),
        },
        Relation::Compare(comparison, Operand::ShareOfWindow(share)) => {
            let limit = Decimal::from(share_of(facts.window()?, *share));
            Some(comparison.holds(tokens(reading, facts)?.cmp(&limit)))
        }
        Relation::Compare(comparison, Operand::Value(constant)) => {
            let order = match (read(reading, facts)?, constant) {
                (Value::Number(a), Value::Number(b)) => a.cmp(b),
                (Value::Text(a), Value::Text(b)) => a.cmp(b),
                (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
                _ => return None,
            };
            Some(comparison.holds(order))
        }
    }
}

/// The value of a reading in tokens. A share is read from the fact that it is a share of.
pub fn tokens(reading: &Reading, facts: &dyn Facts) -> Option<Decimal> {
    let fact = reading.fact.share_of().unwrap_or(reading.fact);
    match (facts.value(fact, &reading.arguments), &reading.fallback) {
        (Some(Value::Number(tokens)), _) => Some(tokens),
        (None, Some(Value::Number(share))) if reading.fact.share_of().is_some() => {
            Some(Decimal::from(share_of(facts.window()?, *share)))
        }
        (None, Some(Value::Number(tokens))) => Some(*tokens),
        _ => None,
    }
}
