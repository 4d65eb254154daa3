//! Conditions that overlap only on their boundaries.

use super::assumptions::Assumptions;
use super::decide::{SearchResult, find, overlap};
use crate::check::{Comparison, Condition, Relation, Test};

/// Searches for a state in which both conditions hold, if they overlap only on their boundaries: `<= 80%` and `>= 80%`
/// overlap at 80%. Impossible if they do not overlap, or if they overlap elsewhere too: then one of them still overlaps
/// the other without its boundaries.
pub fn boundary(a: &Condition, b: &Condition, assumptions: &Assumptions) -> SearchResult {
    let touching = match overlap(a, b, assumptions) {
        SearchResult::Witness(witness) => witness,
        other => return other,
    };
    let (inner_a, inner_b) = (interior(a, true), interior(b, true));
    for found in [overlap(&inner_a, b, assumptions), overlap(a, &inner_b, assumptions)] {
        match found {
            SearchResult::Impossible => {}
            SearchResult::Witness(_) => return SearchResult::Impossible,
            SearchResult::TooLarge(why) => return SearchResult::TooLarge(why),
        }
    }
    // A condition that consists of its boundary only, such as `repeats >= 10` within ten calls, does not end there.
    for found in [find(&inner_a, assumptions), find(&inner_b, assumptions)] {
        match found {
            SearchResult::Witness(_) => {}
            other => return other,
        }
    }
    SearchResult::Witness(touching)
}

/// The condition without its boundaries. Under a `not`, the boundaries are those that the inner condition excludes.
fn interior(condition: &Condition, truth: bool) -> Condition {
    let each = |parts: &[Condition]| parts.iter().map(|part| interior(part, truth)).collect();
    match condition {
        Condition::Constant(constant) => Condition::Constant(*constant),
        Condition::All(parts) => Condition::All(each(parts)),
        Condition::Any(parts) => Condition::Any(each(parts)),
        Condition::Not(part) => Condition::Not(Box::new(interior(part, !truth))),
        Condition::Test(test) => Condition::Test(strict(test, truth)),
    }
}

/// The test with a strict comparison.
fn strict(test: &Test, truth: bool) -> Test {
    let Relation::Compare(comparison, operand) = &test.relation else { return test.clone() };
    let comparison = match (comparison, truth) {
        (Comparison::AtMost, true) => Comparison::Less,
        (Comparison::AtLeast, true) => Comparison::More,
        (Comparison::Less, false) => Comparison::AtMost,
        (Comparison::More, false) => Comparison::AtLeast,
        (other, _) => *other,
    };
    Test { relation: Relation::Compare(comparison, operand.clone()), ..test.clone() }
}
