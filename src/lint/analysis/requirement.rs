//! Which facts a rule reads, and what it asks of them.

use crate::check::{Comparison, Condition, Operand, Relation, Rule, Test};
use crate::fact::Fact;
use crate::source::Span;

/// Whether a rule's condition reads a fact of some kind.
pub(crate) fn reads(rule: &Rule, is_kind: impl Fn(&Fact) -> bool) -> bool {
    rule.condition.tests().any(|test| is_kind(test.reading.fact))
}

/// The comparisons that must all hold for a condition to hold, with the operator that must hold.
pub(crate) fn required_comparisons(condition: &Condition) -> impl Iterator<Item = (&Test, Comparison, &Operand)> {
    condition.required_tests().filter_map(|(test, truth)| match &test.relation {
        Relation::Compare(operator, operand) => {
            Some((test, if truth { *operator } else { operator.negated() }, operand))
        }
        _ => None,
    })
}

/// Whether a test asks for much (`Some(true)`), for little (`Some(false)`) or for neither.
pub(crate) fn is_lower_bound(test: &Test, truth: bool) -> Option<bool> {
    match &test.relation {
        Relation::Compare(Comparison::More | Comparison::AtLeast, _) => Some(truth),
        Relation::Compare(Comparison::Less | Comparison::AtMost, _) => Some(!truth),
        _ => None,
    }
}

/// Where the first share of the window stands in what a rule waits for.
pub(crate) fn first_share(rule: &Rule) -> Option<Span> {
    let is_share = |relation: &Relation| matches!(relation, Relation::Compare(_, Operand::ShareOfWindow(_)));
    rule.tests().find(|test| is_share(&test.relation)).map(|test| test.span)
}
