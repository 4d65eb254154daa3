//! `always-true`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::source::Span;
use trimtab_language::check::{Condition, Rule};
use trimtab_language::condition::{Assumptions, Decision, Implication, implies};

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("always-true", Severity::Warning, include_str!("always_true.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Mixed,
    evidence: &["https://github.com/cedar-policy/cedar/issues/1263"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !matches!(subject.decision(rule), Some(Decision::Always)) {
        return;
    }
    let clauses: Vec<Span> = ["when", "unless"].iter().filter_map(|word| rule.clause(word)).collect();
    let Some(&span) = clauses.first() else { return };
    let message = format!("the condition of rule `{}` always holds", rule.name);
    // While the window is unknown, a test of a share is unknown and the rule is not due.
    let holds =
        |host: &Assumptions| matches!(implies(&Condition::Constant(true), &rule.condition, host), Implication::Proved);
    let (here, assumed) = (holds(&subject.assumptions(rule)), subject.assumed(rule, holds));
    let safe = here && assumed.is_none();
    let known = if here { "" } else { ", once the window is known" };
    let mut finding = LINT.finding(span, message, format!("all values of the facts make this true{known}"));
    if clauses.len() == 1 {
        finding.fixes.push(without(subject, rule, span, safe));
    }
    finding.notes.extend(assumed.filter(|_| here));
    findings.push(finding.help("use a bound that can fail, or remove the condition"));
}

/// The fix that removes the only clause of the condition. An override without it would inherit the condition of the base.
fn without(subject: &Subject<'_>, rule: &Rule, span: Span, safe: bool) -> Fix {
    let is_override = rule.origin.overrides.iter().any(|over| over.span.contains(span));
    if !is_override {
        return fix("remove the condition", safe, removal(subject, span));
    }
    let word = if rule.clause("when") == Some(span) { "when" } else { "unless" };
    let edit = TextEdit { span, text: format!("no {word}") };
    fix(format!("write `no {word}`"), safe, edit)
}
