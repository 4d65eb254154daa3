//! The facts that a rule reads, and the comparisons that its condition requires.

use crate::check::{Comparison, Condition, Operand, Relation, Rule, Test};
use crate::fact::Fact;
use crate::source::Span;

/// Whether a rule's condition reads a fact of some kind.
pub(crate) fn reads(rule: &Rule, is_kind: impl Fn(&Fact) -> bool) -> bool {
    rule.condition.tests().any(|test| is_kind(test.reading.fact))
}

/// The comparisons that must all hold for a condition to hold, with their effective operators.
pub(crate) fn required_comparisons(condition: &Condition) -> impl Iterator<Item = (&Test, Comparison, &Operand)> {
    condition.required_tests().filter_map(|(test, truth)| match &test.relation {
        Relation::Compare(operator, operand) => {
            Some((test, if truth { *operator } else { operator.negated() }, operand))
        }
        _ => None,
    })
}

/// Whether a test sets a lower bound (`Some(true)`), an upper bound (`Some(false)`) or neither.
pub(crate) fn is_lower_bound(test: &Test, truth: bool) -> Option<bool> {
    match &test.relation {
        Relation::Compare(Comparison::More | Comparison::AtLeast, _) => Some(truth),
        Relation::Compare(Comparison::Less | Comparison::AtMost, _) => Some(!truth),
        _ => None,
    }
}

/// The span of the first test that compares with a share of the window.
pub(crate) fn first_share(rule: &Rule) -> Option<Span> {
    let is_share = |relation: &Relation| matches!(relation, Relation::Compare(_, Operand::ShareOfWindow(_)));
    rule.tests().find(|test| is_share(&test.relation)).map(|test| test.span)
}
