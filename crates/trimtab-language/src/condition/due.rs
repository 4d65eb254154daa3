//! When a rule may be due, its guards included.

use trimtab_base::quantity::{Decimal, Value};
use trimtab_base::source::Span;

use crate::check::{Comparison, Condition, Guard, Operand, Reading, Relation, Rule, RuleGuard, Test};
use crate::fact::{self, Scope};

/// A condition that holds in every state in which the rule can be due, and possibly in others.
///
/// - `every N` fires at multiples of N except 0; this becomes `iteration >= N`, unless it counts over the session.
/// - `until C` keeps the rule triggered after its condition held until C holds: its condition, or not C. If C is unknown
///   because the window is unknown, this is unknown too, and a latched rule may still be due. `unless` still blocks it.
/// - `once per F` blocks the rule while F is unknown. That F must have grown is ignored.
/// - `once`, `once until C`, `cooldown N` and `limit N` do not restrict the first firing and are ignored.
///
/// The phase is not part of it: only rules of the same phase can meet.
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
        // Any of several ends stops it, and `unless` blocks it.
        _ => Condition::Any(vec![rule.condition.clone(), Condition::All(latched)]),
    };
    let mut all = vec![condition];
    all.extend(rule.guards.iter().filter_map(first_firing));
    if all.len() == 1 { all.remove(0) } else { Condition::All(all) }
}

/// Returns the condition under which a guard allows the first firing, or `None` if it always does.
fn first_firing(guard: &RuleGuard) -> Option<Condition> {
    let span = guard.span;
    match &guard.node {
        Guard::Every(iterations) if guard.scope == Scope::Run => Some(from_iteration_at((*iterations).max(1), span)),
        Guard::OncePer(reading) if reading.fact.is_optional() && reading.fallback.is_none() => {
            Some(Condition::Test(Test { reading: reading.clone(), relation: Relation::Known, span }))
        }
        Guard::OncePer(_)
        | Guard::Once
        | Guard::Every(_)
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

/// `iteration <= N`
pub fn until_iteration(most: u64) -> Condition {
    iteration(Comparison::AtMost, most, Span::default())
}

fn from_iteration_at(least: u64, span: Span) -> Condition {
    iteration(Comparison::AtLeast, least, span)
}

fn iteration(comparison: Comparison, number: u64, span: Span) -> Condition {
    let reading = Reading::new(fact::ITERATION, Vec::new(), span);
    let operand = Operand::Value(Value::Number(Decimal::from(number)));
    Condition::Test(Test { reading, relation: Relation::Compare(comparison, operand), span })
}
