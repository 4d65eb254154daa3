//! `stop-ignores-results`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Rule, Test};
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::Topic;

use crate::lint::analysis::requirement::is_lower_bound;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("stop-ignores-results", Severity::Info, include_str!("stop_ignores_results.md")),
    category: Category::Injection,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() || !rule.does(EffectKind::Stop) || rule.condition.tests().any(sees_results) {
        return;
    }
    for (test, truth) in rule.condition.required_tests() {
        if counts_calls(test) && is_lower_bound(test, truth) == Some(true) {
            let fact = test.reading.name();
            let message = format!("`{}` also stops an agent whose repeated call has new results", rule.name);
            let here = format!("`{fact}` compares calls, and not their results");
            let help = format!(
                "if an agent may wait for something to change, use `cycles(period: 1)` in place of `{fact}`, or beside it: it counts \
                 only calls with the same results"
            );
            findings.push(LINT.finding(test.reading.span, message, here).help(help));
        }
    }
}

/// Whether a test is of a count of equal calls, whatever their results are.
fn counts_calls(test: &Test) -> bool {
    let fact = test.reading.fact;
    fact.topic == Topic::Trouble && fact.calls_from(&test.reading.arguments).is_some()
}

/// Whether a test depends on results.
fn sees_results(test: &Test) -> bool {
    let topic = test.reading.fact.topic;
    topic == Topic::NewestResult || topic == Topic::Trouble && !counts_calls(test)
}
