//! Implications that follow from the structure of two conditions, without a search.
//!
//! This finds raised thresholds and added or removed parts at little cost. It ignores relations between facts and between
//! tokens and shares; the search decides the rest.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use trimtab_base::quantity::Value;

use super::source::is_same;
use crate::check::{Comparison, Condition, Operand, Relation, Test};

/// The most pairs of parts that are compared before the search has to decide.
const MAX_PAIRS: u32 = 400;

/// A condition and a truth value that it has or must have.
type Goal<'c> = (&'c Condition, bool);

/// Whether the structure of the conditions shows that `a` implies `b`.
pub(super) fn implies(a: &Condition, b: &Condition) -> bool {
    let mut left = MAX_PAIRS;
    follows((a, true), (b, true), &mut left)
}

/// Whether the first goal implies the second.
fn follows(a: Goal<'_>, b: Goal<'_>, left: &mut u32) -> bool {
    let Some(fewer) = left.checked_sub(1) else { return false };
    *left = fewer;
    match (a, b) {
        ((Condition::Constant(is), wanted), _) if *is != wanted => true,
        (_, (Condition::Constant(is), wanted)) if *is == wanted => true,
        ((Condition::Not(inner), wanted), _) => follows((inner, !wanted), b, left),
        (_, (Condition::Not(inner), wanted)) => follows(a, (inner, !wanted), left),
        // At least one part has this value, so each part must imply the goal.
        ((Condition::Any(parts), true) | (Condition::All(parts), false), _) => {
            parts.iter().all(|part| follows((part, a.1), b, left))
        }
        (_, (Condition::All(parts), true) | (Condition::Any(parts), false)) => {
            parts.iter().all(|part| follows(a, (part, b.1), left))
        }
        ((Condition::Test(first), _), (Condition::Test(other), _)) => test((first, a.1), (other, b.1)),
        _ => from_part(a, b, left) || to_part(a, b, left),
    }
}

/// Whether a part of a conjunction is enough.
fn from_part(a: Goal<'_>, b: Goal<'_>, left: &mut u32) -> bool {
    match a {
        (Condition::All(parts), true) | (Condition::Any(parts), false) => {
            parts.iter().any(|part| follows((part, a.1), b, left))
        }
        _ => false,
    }
}

/// Whether the first goal implies one part of a disjunction.
fn to_part(a: Goal<'_>, b: Goal<'_>, left: &mut u32) -> bool {
    match b {
        (Condition::Any(parts), true) | (Condition::All(parts), false) => {
            parts.iter().any(|part| follows(a, (part, b.1), left))
        }
        _ => false,
    }
}

/// Whether one test implies another of the same reading.
fn test((left, is): (&Test, bool), (other, wanted): (&Test, bool)) -> bool {
    if !is_same(&left.reading, &other.reading) || left.reading.fallback != other.reading.fallback {
        return false;
    }
    let (Relation::Compare(first, a), Relation::Compare(second, b)) = (&left.relation, &other.relation) else {
        return is == wanted && left.relation == other.relation;
    };
    let operator = |comparison: &Comparison, holds: bool| if holds { *comparison } else { comparison.negated() };
    let (first, second) = (operator(first, is), operator(second, wanted));
    let implies = |order: Ordering| orders(order).iter().all(|(a, b)| !first.holds(*a) || second.holds(*b));
    match (a, b) {
        (Operand::Value(Value::Number(a)), Operand::Value(Value::Number(b))) => implies(a.cmp(b)),
        // Different shares of a small window may be truncated to the same number of tokens.
        (Operand::ShareOfWindow(a), Operand::ShareOfWindow(b)) => implies(a.cmp(b)) && implies(Equal),
        _ => first == second && a == b,
    }
}

/// The possible orders of a value and two constants, given the order of the constants.
const fn orders(order: Ordering) -> &'static [(Ordering, Ordering)] {
    match order {
        Less => &[(Less, Less), (Equal, Less), (Greater, Less), (Greater, Equal), (Greater, Greater)],
        Equal => &[(Less, Less), (Equal, Equal), (Greater, Greater)],
        Greater => &[(Less, Less), (Less, Equal), (Less, Greater), (Equal, Greater), (Greater, Greater)],
    }
}
