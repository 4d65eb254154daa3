//! What earlier steps of a phase leave to later ones: which step comes before which, and whether it must have come.

use std::collections::HashMap;

use super::Subject;
use crate::check::{Action, Comparison, Condition, Guard, Operand, Relation, Rule, Test};
use crate::phase::Phase;
use crate::quantity::Value;

/// An action of a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub(super) rule: &'a Rule,
    pub(super) action: &'a Action,
}

/// Goes over the steps of each policy in the order in which they are carried out, and shows each together with the
/// last one before it in its phase that counts.
pub(super) fn pairs<'a>(
    subject: &Subject<'a>,
    counts: impl Fn(&Action) -> bool,
    mut look: impl FnMut(Step<'a>, Step<'a>),
) {
    let own = subject.source.id();
    for policy in &subject.checked.policies {
        let mut last: HashMap<Phase, Step<'a>> = HashMap::new();
        for rule in policy.rules.iter().filter(|rule| rule.span.source == own) {
            for action in &rule.actions {
                let step = Step { rule, action };
                if let Some(earlier) = last.get(&rule.phase) {
                    look(*earlier, step);
                }
                if counts(action) {
                    last.insert(rule.phase, step);
                }
            }
        }
    }
}

/// Whether the earlier of two rules is due whenever the later one is, as far as it can be read off.
pub(super) fn follows(later: &Rule, earlier: &Rule) -> bool {
    let held = earlier.guards.iter().any(|guard| !matches!(guard.node, Guard::Until(_)));
    let kept = later.guards.iter().any(|guard| matches!(guard.node, Guard::Until(_)));
    std::ptr::eq(later, earlier) || !held && !kept && implies(&later.condition, &earlier.condition)
}

/// Whether one condition holds wherever another does, as far as it can be read off.
fn implies(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        (_, Condition::Constant(true)) => true,
        (_, Condition::All(parts)) => parts.iter().all(|part| implies(one, part)),
        (Condition::Any(parts), _) => parts.iter().all(|part| implies(part, other)),
        (Condition::All(parts), _) => parts.iter().any(|part| implies(part, other)),
        (_, Condition::Any(parts)) => parts.iter().any(|part| implies(one, part)),
        (Condition::Not(one), Condition::Not(other)) => implies(other, one),
        (Condition::Test(one), Condition::Test(other)) => stricter(one, other),
        _ => false,
    }
}

/// Whether a test asks for the same as another or for more of it.
fn stricter(one: &Test, other: &Test) -> bool {
    if one.reading != other.reading {
        return false;
    }
    let (Relation::Compare(sign, limit), Relation::Compare(least, bound)) = (&one.relation, &other.relation) else {
        return one.relation == other.relation;
    };
    let Some(order) = compare(limit, bound) else { return false };
    match (sign, least) {
        (Comparison::AtLeast | Comparison::More, Comparison::AtLeast) | (Comparison::More, Comparison::More) => {
            order.is_ge()
        }
        (Comparison::AtLeast, Comparison::More) => order.is_gt(),
        (Comparison::AtMost | Comparison::Less, Comparison::AtMost) | (Comparison::Less, Comparison::Less) => {
            order.is_le()
        }
        (Comparison::AtMost, Comparison::Less) => order.is_lt(),
        (one, other) => one == other && order.is_eq(),
    }
}

fn compare(one: &Operand, other: &Operand) -> Option<std::cmp::Ordering> {
    match (one, other) {
        (Operand::ShareOfWindow(one), Operand::ShareOfWindow(other))
        | (Operand::Value(Value::Number(one)), Operand::Value(Value::Number(other))) => Some(one.cmp(other)),
        (Operand::Value(one), Operand::Value(other)) if one == other => Some(std::cmp::Ordering::Equal),
        _ => None,
    }
}
