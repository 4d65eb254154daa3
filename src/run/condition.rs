//! Evaluating conditions. What cannot be known, since the window is unknown, is neither true nor false.

use crate::check::{Condition, Operand, Reading, Relation, Test};
use crate::fact::Moment;
use crate::quantity::{Decimal, Value, share_of};

/// Whether a condition holds; none when that cannot be known.
pub(super) fn holds(condition: &Condition, moment: &Moment<'_>) -> Option<bool> {
    match condition {
        Condition::Constant(truth) => Some(*truth),
        Condition::All(parts) => fold(parts, moment, false),
        Condition::Any(parts) => fold(parts, moment, true),
        Condition::Not(inner) => holds(inner, moment).map(|truth| !truth),
        Condition::Test(one) => test(one, moment),
    }
}

/// Ends at the first part that decides; unknown when none does and one is unknown.
fn fold(parts: &[Condition], moment: &Moment<'_>, decides: bool) -> Option<bool> {
    let mut unknown = false;
    for part in parts {
        match holds(part, moment) {
            Some(truth) if truth == decides => return Some(decides),
            Some(_) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(!decides)
}

/// What a reading gives: the fact, or else its fallback.
pub(super) fn read(reading: &Reading, moment: &Moment<'_>) -> Option<Value> {
    (reading.fact.read)(moment, &reading.arguments).or_else(|| reading.fallback.clone())
}

pub(super) fn test(test: &Test, moment: &Moment<'_>) -> Option<bool> {
    let reading = &test.reading;
    match &test.relation {
        Relation::Known => Some((reading.fact.read)(moment, &reading.arguments).is_some()),
        Relation::Holds => read(reading, moment).map(|value| value == Value::Bool(true)),
        Relation::OneOf(values) => read(reading, moment).map(|value| values.contains(&value)),
        Relation::Contains(part) => match read(reading, moment)? {
            Value::Text(text) => Some(text.contains(part.as_str())),
            _ => Some(false),
        },
        Relation::Compare(comparison, Operand::ShareOfWindow(share)) => {
            let limit = Decimal::from(share_of(window(moment)?, *share));
            Some(comparison.holds(tokens(reading, moment)?.cmp(&limit)))
        }
        Relation::Compare(comparison, Operand::Value(constant)) => {
            let order = match (read(reading, moment)?, constant) {
                (Value::Number(a), Value::Number(b)) => a.cmp(b),
                (Value::Text(a), Value::Text(b)) => a.cmp(b),
                (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
                _ => return None,
            };
            Some(comparison.holds(order))
        }
    }
}

/// The window, where it is known and not switched off by 0.
fn window(moment: &Moment<'_>) -> Option<u64> {
    moment.window.filter(|&window| window > 0)
}

/// A reading in tokens: of the fact that a share is a share of, when it is one.
pub(super) fn tokens(reading: &Reading, moment: &Moment<'_>) -> Option<Decimal> {
    let fact = reading.fact.share_of.unwrap_or(reading.fact);
    match ((fact.read)(moment, &reading.arguments), &reading.fallback) {
        (Some(Value::Number(tokens)), _) => Some(tokens),
        (None, Some(Value::Number(share))) if reading.fact.share_of.is_some() => {
            Some(Decimal::from(share_of(window(moment)?, *share)))
        }
        (None, Some(Value::Number(tokens))) => Some(*tokens),
        _ => None,
    }
}
