//! When a rule may be due, its guards taken in.

use crate::check::{Comparison, Condition, Guard, Operand, Reading, Relation, Rule, Test};
use crate::fact;
use crate::quantity::{Decimal, Value};
use crate::source::Span;

/// A condition that holds in every state in which the rule can be due, and perhaps in more.
///
/// - `every N` lets it through at multiples of N but 0; this is said as `iteration >= N`.
/// - `until C` keeps it due from when its condition held until C holds: its condition, or else not C. Where C cannot be
///   known, since the window is unknown, this too is unknown and a latched rule may still be due. `unless` holds it
///   back all the same.
/// - `once per F` holds it back where F is unknown; that F has grown is not said.
/// - `once`, `once until C`, `cooldown N` and `limit N` say nothing of its first firing, so nothing is said of them.
///
/// The phase is not in it: two rules meet only if their phases are the same.
pub fn due(rule: &Rule) -> Condition {
    let ends = rule.guards.iter().filter_map(|guard| match &guard.node {
        Guard::Until(end) => Some(Condition::Not(Box::new(end.clone()))),
        _ => None,
    });
    let mut latched: Vec<Condition> = ends.collect();
    if !latched.is_empty() {
        latched.extend(rule.unless.clone().map(|unless| Condition::Not(Box::new(unless))));
    }
    let condition = match latched.len() {
        0 => rule.condition.clone(),
        1 => Condition::Any(vec![rule.condition.clone(), latched.remove(0)]),
        // Each of several ends ends it, and `unless` holds it back.
        _ => Condition::Any(vec![rule.condition.clone(), Condition::All(latched)]),
    };
    let mut all = vec![condition];
    all.extend(rule.guards.iter().filter_map(|guard| opens(&guard.node, guard.span)));
    if all.len() == 1 { all.remove(0) } else { Condition::All(all) }
}

/// What a guard says of the states in which it opens for the first time.
fn opens(guard: &Guard, span: Span) -> Option<Condition> {
    match guard {
        Guard::Every(iterations) => Some(from_iteration_at((*iterations).max(1), span)),
        Guard::OncePer(reading) if reading.fact.is_optional() && reading.fallback.is_none() => {
            Some(Condition::Test(Test { reading: reading.clone(), relation: Relation::Known, span }))
        }
        Guard::OncePer(_)
        | Guard::Once
        | Guard::OnceUntil(_)
        | Guard::Until(_)
        | Guard::Cooldown(_)
        | Guard::Limit(_) => None,
    }
}

/// `iteration >= N`
pub fn from_iteration(least: u64) -> Condition {
    from_iteration_at(least, Span::default())
}

fn from_iteration_at(least: u64, span: Span) -> Condition {
    let reading = Reading { fact: fact::ITERATION, arguments: Vec::new(), fallback: None, span };
    let operand = Operand::Value(Value::Number(Decimal::from(least)));
    Condition::Test(Test { reading, relation: Relation::Compare(Comparison::AtLeast, operand), span })
}
