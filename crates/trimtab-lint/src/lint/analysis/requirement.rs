//! The facts that a rule reads, and the comparisons that its condition requires.

use smol_str::SmolStr;
use trimtab_base::source::Span;
use trimtab_language::check::{Comparison, Condition, Operand, Reading, Relation, Rule, Test};
use trimtab_language::fact::Fact;

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

/// How a test with this result compares its source with a constant: as if it were written without `not`, and with the
/// size of the context instead of what it leaves free. Returns `None` if it compares nothing.
pub(crate) fn effective_comparison(test: &Test, truth: bool) -> Option<Comparison> {
    let Relation::Compare(operator, _) = &test.relation else { return None };
    let operator = if truth { *operator } else { operator.negated() };
    Some(if test.reading.fact.is_inverse() { operator.flipped() } else { operator })
}

/// The only test of a condition, and the result with which it holds.
pub(crate) fn only_test(condition: &Condition) -> Option<(&Test, bool)> {
    let mut tests = condition.tests_with_polarity();
    let only = tests.next();
    only.filter(|_| tests.next().is_none())
}

/// The source that all comparisons of a condition are about, if all must have their result for it to hold. Facts that show
/// one value in different ways have one source.
pub(crate) fn only_source(condition: &Condition) -> Option<SmolStr> {
    let name = |(test, truth): (&Test, bool)| {
        effective_comparison(test, truth)?;
        let reading = &test.reading;
        Some(Reading::new(reading.fact.base(), reading.arguments.clone(), reading.span).name())
    };
    let mut required = condition.required_tests().map(name);
    let first = required.next()??;
    let is_all = required.all(|other| other.as_ref() == Some(&first));
    let count = condition.required_tests().count();
    (is_all && condition.tests().count() == count).then_some(first)
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
