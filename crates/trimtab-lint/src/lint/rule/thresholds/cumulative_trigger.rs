//! `cumulative-trigger`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Type, Unit};
use trimtab_language::check::{Comparison, Reading, Rule, Test};
use trimtab_language::fact::{Falls, Topic};

use crate::lint::analysis::reduction::{is_rate_limited, never_ends, shrinks_old};
use crate::lint::analysis::requirement::required_comparisons;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("cumulative-trigger", Severity::Warning, include_str!("cumulative_trigger.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    supersedes: &["cache-trickle", "early-and-often", "no-minimum-saving"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if is_rate_limited(subject, rule) || !never_ends(subject, rule) {
        return;
    }
    let Some(test) = total(rule) else { return };
    let Some(action) = rule.actions.iter().find(|action| shrinks_old(action)) else { return };
    let name = test.reading.name();
    let message = format!("`{}` reduces the context at every call once `{name}` is large enough", rule.name);
    let finding = LINT.finding(action.span, message, "cannot lower what has been used");
    let finding = finding.label(test.span, "only grows");
    findings.push(finding.help("compare the size of the context, such as `context.tokens`, or add `once`"));
}

/// The test that requires a total of tokens or money.
fn total(rule: &Rule) -> Option<&Test> {
    let is_total = |reading: &Reading| {
        let fact = reading.fact;
        let is_used = fact.topic == Topic::Usage && matches!(fact.ty, Type::Number(Unit::Tokens | Unit::Money));
        is_used && fact.falls(&reading.arguments) == Falls::Never
    };
    let mut required = required_comparisons(&rule.condition);
    let is_lower = |operator: Comparison| matches!(operator, Comparison::More | Comparison::AtLeast);
    required.find(|(test, operator, _)| is_lower(*operator) && is_total(&test.reading)).map(|(test, ..)| test)
}
