//! Which facts a rule reads, and what it asks of them.

use crate::check::{Comparison, Condition, Operand, Relation, Rule, Test};
use crate::fact::Fact;
use crate::source::Span;

/// Whether a rule's condition reads a fact of some kind.
pub(in crate::rooms::lint) fn reads(rule: &Rule, is_kind: impl Fn(&Fact) -> bool) -> bool {
    rule.condition.tests().any(|test| is_kind(test.reading.fact))
}

/// The comparisons that must all hold for a condition to hold, with the sign that must hold.
pub(in crate::rooms::lint) fn demands(condition: &Condition) -> impl Iterator<Item = (&Test, Comparison, &Operand)> {
    condition.needed().filter_map(|(test, truth)| match &test.relation {
        Relation::Compare(sign, operand) => Some((test, if truth { *sign } else { sign.opposite() }, operand)),
        _ => None,
    })
}

/// Whether a test asks for much (`Some(true)`), for little (`Some(false)`) or for neither.
pub(in crate::rooms::lint) fn asks_for_much(test: &Test, truth: bool) -> Option<bool> {
    match &test.relation {
        Relation::Compare(Comparison::More | Comparison::AtLeast, _) => Some(truth),
        Relation::Compare(Comparison::Less | Comparison::AtMost, _) => Some(!truth),
        _ => None,
    }
}

/// Where the first share of the window stands in what a rule waits for.
pub(in crate::rooms::lint) fn first_share(rule: &Rule) -> Option<Span> {
    let is_share = |relation: &Relation| matches!(relation, Relation::Compare(_, Operand::ShareOfWindow(_)));
    rule.tests().find(|test| is_share(&test.relation)).map(|test| test.span)
}
