//! Rules that are due at some calls of a run and not at others.

use trimtab_base::source::Span;
use trimtab_language::check::{Rule, Test};
use trimtab_language::fact::{Falls, Topic};

use crate::lint::analysis::reduction::limits_repetition;

/// Returns the guard or test that makes a rule due at some calls and not at others, again and again, or `None` if a
/// rule that was due once stays due.
pub(crate) fn cause(rule: &Rule) -> Option<Span> {
    let guard = rule.guards.iter().find(|guard| limits_repetition(&guard.node)).map(|guard| guard.span);
    guard.or_else(|| flickering_test(rule))
}

/// A test that can hold at one call and fail at the next without an edit. A playbook that is empty adds nothing anyway, and
/// a variable changes only where a rule says so.
fn flickering_test(rule: &Rule) -> Option<Span> {
    let flickers = |test: &&Test| {
        let reading = &test.reading;
        let is_steady = matches!(reading.fact.topic, Topic::Playbook | Topic::Variables);
        !is_steady && matches!(reading.fact.falls(&reading.arguments), Falls::AnyTime | Falls::Messages)
    };
    let test = rule.condition.tests().find(flickers)?;
    Some(test.reading.span)
}
