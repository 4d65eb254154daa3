//! Conditions that meet only where the one ends and the other begins.

use super::decide::{Found, find, overlap};
use super::world::World;
use crate::check::{Comparison, Condition, Relation, Test};

/// A state in which both hold, when there are such only on their boundaries: `<= 80%` and `>= 80%` meet at 80 %. Nothing
/// when they do not meet, and when they share more: then one of them, its boundaries taken away, still meets the other.
pub fn boundary(a: &Condition, b: &Condition, world: &World) -> Found {
    let touching = match overlap(a, b, world) {
        Found::Witness(witness) => witness,
        other => return other,
    };
    let (inner_a, inner_b) = (inner(a, true), inner(b, true));
    for found in [overlap(&inner_a, b, world), overlap(a, &inner_b, world)] {
        match found {
            Found::Nothing => {}
            Found::Witness(_) => return Found::Nothing,
            Found::TooLarge(why) => return Found::TooLarge(why),
        }
    }
    // A condition that is nothing but boundary, as `repeats >= 10` of ten calls is, does not end there.
    for found in [find(&inner_a, world), find(&inner_b, world)] {
        match found {
            Found::Witness(_) => {}
            other => return other,
        }
    }
    Found::Witness(touching)
}

/// A condition without its boundaries; under a `not` they are what the inner condition leaves out.
fn inner(condition: &Condition, truth: bool) -> Condition {
    let each = |parts: &[Condition]| parts.iter().map(|part| inner(part, truth)).collect();
    match condition {
        Condition::Constant(constant) => Condition::Constant(*constant),
        Condition::All(parts) => Condition::All(each(parts)),
        Condition::Any(parts) => Condition::Any(each(parts)),
        Condition::Not(part) => Condition::Not(Box::new(inner(part, !truth))),
        Condition::Test(test) => Condition::Test(moved(test, truth)),
    }
}

fn moved(test: &Test, truth: bool) -> Test {
    let Relation::Compare(sign, operand) = &test.relation else { return test.clone() };
    let sign = match (sign, truth) {
        (Comparison::AtMost, true) => Comparison::Less,
        (Comparison::AtLeast, true) => Comparison::More,
        (Comparison::Less, false) => Comparison::AtMost,
        (Comparison::More, false) => Comparison::AtLeast,
        (sign, _) => *sign,
    };
    Test { relation: Relation::Compare(sign, operand.clone()), ..test.clone() }
}
