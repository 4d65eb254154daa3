//! Which facts a rule reads, and what it asks of them.

use crate::check::{Comparison, Condition, Operand, Relation, Rule, Test};
use crate::fact::Fact;
use crate::source::Span;

/// The facts that tell of a stuck agent.
pub(crate) const STUCK: &[&str] = &["repeats", "failures", "failures.steps", "failures.total"];

/// Whether a rule's condition reads one of these facts; a name that ends in `.` stands for all that begin with it.
pub(crate) fn reads(rule: &Rule, names: &[&str]) -> bool {
    rule.condition.tests().any(|test| is_one_of(test, names))
}

/// Whether a test reads one of these facts.
pub(crate) fn is_one_of(test: &Test, names: &[&str]) -> bool {
    is_one(test.reading.fact, names)
}

/// Whether a fact is one of these.
pub(crate) fn is_one(fact: &Fact, names: &[&str]) -> bool {
    names.iter().any(|name| if name.ends_with('.') { fact.name.starts_with(name) } else { fact.name == *name })
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
