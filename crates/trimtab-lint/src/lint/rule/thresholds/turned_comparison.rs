//! `turned-comparison`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{Comparison, Rule, Test};
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::Topic;

use crate::lint::analysis::edit::{comparison_parts, fix};
use crate::lint::analysis::reduction::{is_context_size_test, reduces};
use crate::lint::analysis::requirement::is_lower_bound;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("turned-comparison", Severity::Warning, include_str!("turned_comparison.md")),
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let stops = rule.does(EffectKind::Stop);
    if !stops && !reduces(subject, rule) {
        return;
    }
    // Another part of an `or` may be the purpose of the rule.
    if rule.condition.tests().count() != rule.condition.required_tests().count() {
        return;
    }
    // A minimum number of calls does not show the purpose of the rule.
    let tests = || {
        rule.condition
            .required_tests()
            .filter(|(test, _)| !matches!(test.reading.fact.topic, Topic::Iteration | Topic::Run | Topic::UserMessages))
    };
    if !tests().all(|(test, truth)| expects_high_value(test, truth) == Some(false)) {
        return;
    }
    // A stop waits for usage or trouble, too.
    let is_limit = |test: &Test| matches!(test.reading.fact.topic, Topic::Usage | Topic::Trouble);
    let Some((test, truth)) = tests().find(|(test, _)| is_context_size_test(test) || stops && is_limit(test)) else {
        return;
    };
    let what = if stops { "stops the run" } else { "reduces the context" };
    let message = format!("rule `{}` {what} while the value is low", rule.name);
    let here = if truth { "holds at the first call" } else { "fails at the first call" };
    let mut finding = LINT.finding(test.span, message, here);
    if let Some((operator, ..)) = comparison_parts(subject, rule, test).filter(|_| truth)
        && let Some(reversed) = operator.node.comparison().and_then(reversed)
    {
        let edit = TextEdit { span: operator.span, text: reversed.to_owned() };
        finding.fixes.push(fix(format!("write `{reversed}`"), false, edit));
    }
    findings.push(finding.help("reverse the comparison"));
}

/// The inclusive operator of the opposite direction.
const fn reversed(comparison: Comparison) -> Option<&'static str> {
    match comparison {
        Comparison::Less | Comparison::AtMost => Some(">="),
        Comparison::More | Comparison::AtLeast => Some("<="),
        Comparison::Equal | Comparison::Unequal => None,
    }
}

/// Whether a test expects a high value or a low one; for free room, low means high usage.
fn expects_high_value(test: &Test, truth: bool) -> Option<bool> {
    let much = is_lower_bound(test, truth)?;
    Some(much != (test.reading.fact.is_inverse()))
}
