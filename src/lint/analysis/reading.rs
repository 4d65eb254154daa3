//! Which facts a rule reads, and what it asks of them.

use crate::check::{Comparison, Condition, Operand, Relation, Rule, Test};
use crate::fact::Fact;
use crate::source::Span;

/// The facts that tell of a stuck agent.
pub(in crate::lint) const STUCK: &[&str] = &["repeats", "failures", "failures.steps", "failures.total"];

/// Whether a rule's condition reads one of these facts; a name that ends in `.` stands for all that begin with it.
pub(in crate::lint) fn reads(rule: &Rule, names: &[&str]) -> bool {
    rule.condition.tests().any(|test| is_one_of(test, names))
}

/// Whether a test reads one of these facts.
pub(in crate::lint) fn is_one_of(test: &Test, names: &[&str]) -> bool {
    is_one(test.reading.fact, names)
}

/// Whether a fact is one of these.
pub(in crate::lint) fn is_one(fact: &Fact, names: &[&str]) -> bool {
    names.iter().any(|name| if name.ends_with('.') { fact.name.starts_with(name) } else { fact.name == *name })
}

/// The comparisons that must all hold for a condition to hold, with the sign that must hold.
pub(in crate::lint) fn demands(condition: &Condition) -> impl Iterator<Item = (&Test, Comparison, &Operand)> {
    condition.needed().filter_map(|(test, truth)| match &test.relation {
        Relation::Compare(sign, operand) => Some((test, if truth { *sign } else { sign.opposite() }, operand)),
        _ => None,
    })
}

/// Whether a test asks for much (`Some(true)`), for little (`Some(false)`) or for neither.
pub(in crate::lint) fn asks_for_much(test: &Test, truth: bool) -> Option<bool> {
    match &test.relation {
        Relation::Compare(Comparison::More | Comparison::AtLeast, _) => Some(truth),
        Relation::Compare(Comparison::Less | Comparison::AtMost, _) => Some(!truth),
        _ => None,
    }
}

/// Where the first share of the window stands in what a rule waits for.
pub(in crate::lint) fn first_share(rule: &Rule) -> Option<Span> {
    let is_share = |relation: &Relation| matches!(relation, Relation::Compare(_, Operand::ShareOfWindow(_)));
    rule.tests().find(|test| is_share(&test.relation)).map(|test| test.span)
}
