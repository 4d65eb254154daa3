//! `undecided-condition`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::condition::Decision;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("undecided-condition", Severity::Info, include_str!("undecided_condition.md")),
    category: Category::Reachability,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(Decision::TooLarge(why)) = subject.decision(rule) else { return };
    let span = rule.condition_span().unwrap_or(rule.head);
    let message = format!("the condition of rule `{}` is too large to decide", rule.name);
    findings.push(LINT.finding(span, message, why.clone()).help("split the rule, or remove redundant parts"));
}
