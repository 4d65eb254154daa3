//! What follows from how conditions are written: one part holds wherever another does.
//!
//! It sees a raised threshold and a part more or less at little cost, and says nothing of what it does not see: facts
//! are strange to each other here, and so are tokens and shares. The search decides the rest.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use super::source::is_same;
use crate::check::{Comparison, Condition, Operand, Relation, Test};
use crate::quantity::Value;

/// How many pairs of parts are looked at before it is left to the search.
const MOST: u32 = 400;

/// A condition, and what it is to come to.
type Wanted<'c> = (&'c Condition, bool);

/// Whether `b` is seen to hold wherever `a` does.
pub(super) fn is_seen(a: &Condition, b: &Condition) -> bool {
    let mut left = MOST;
    follows((a, true), (b, true), &mut left)
}

/// Whether the second comes out as wanted wherever the first does.
fn follows(a: Wanted<'_>, b: Wanted<'_>, left: &mut u32) -> bool {
    let Some(fewer) = left.checked_sub(1) else { return false };
    *left = fewer;
    match (a, b) {
        ((Condition::Constant(is), wanted), _) if *is != wanted => true,
        (_, (Condition::Constant(is), wanted)) if *is == wanted => true,
        ((Condition::Not(inner), wanted), _) => follows((inner, !wanted), b, left),
        (_, (Condition::Not(inner), wanted)) => follows(a, (inner, !wanted), left),
        // One of these comes out so: each of them must say it.
        ((Condition::Any(parts), true) | (Condition::All(parts), false), _) => {
            parts.iter().all(|part| follows((part, a.1), b, left))
        }
        (_, (Condition::All(parts), true) | (Condition::Any(parts), false)) => {
            parts.iter().all(|part| follows(a, (part, b.1), left))
        }
        ((Condition::Test(one), _), (Condition::Test(other), _)) => test((one, a.1), (other, b.1)),
        _ => from_part(a, b, left) || to_part(a, b, left),
    }
}

/// Whether a part of what comes out as a whole is enough.
fn from_part(a: Wanted<'_>, b: Wanted<'_>, left: &mut u32) -> bool {
    match a {
        (Condition::All(parts), true) | (Condition::Any(parts), false) => {
            parts.iter().any(|part| follows((part, a.1), b, left))
        }
        _ => false,
    }
}

/// Whether what one part asks for is enough.
fn to_part(a: Wanted<'_>, b: Wanted<'_>, left: &mut u32) -> bool {
    match b {
        (Condition::Any(parts), true) | (Condition::All(parts), false) => {
            parts.iter().any(|part| follows(a, (part, b.1), left))
        }
        _ => false,
    }
}

/// Whether one test of a reading says another of the same.
fn test((one, is): (&Test, bool), (other, wanted): (&Test, bool)) -> bool {
    if !is_same(&one.reading, &other.reading) || one.reading.fallback != other.reading.fallback {
        return false;
    }
    let (Relation::Compare(first, a), Relation::Compare(second, b)) = (&one.relation, &other.relation) else {
        return is == wanted && one.relation == other.relation;
    };
    let sign = |sign: &Comparison, holds: bool| if holds { *sign } else { sign.negated() };
    let (first, second) = (sign(first, is), sign(second, wanted));
    let within = |order: Ordering| sides(order).iter().all(|(a, b)| !first.holds(*a) || second.holds(*b));
    match (a, b) {
        (Operand::Value(Value::Number(a)), Operand::Value(Value::Number(b))) => within(a.cmp(b)),
        // Shares of a small window may be cut to the same number of tokens.
        (Operand::ShareOfWindow(a), Operand::ShareOfWindow(b)) => within(a.cmp(b)) && within(Equal),
        _ => first == second && a == b,
    }
}

/// How a value may lie beside two constants that lie so beside each other.
const fn sides(order: Ordering) -> &'static [(Ordering, Ordering)] {
    match order {
        Less => &[(Less, Less), (Equal, Less), (Greater, Less), (Greater, Equal), (Greater, Greater)],
        Equal => &[(Less, Less), (Equal, Equal), (Greater, Greater)],
        Greater => &[(Less, Less), (Less, Equal), (Less, Greater), (Equal, Greater), (Greater, Greater)],
    }
}
