//! `guard-never-opens`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Guard, Rule, RuleGuard};
use trimtab_language::condition::{SearchResult, due, find};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("guard-never-opens", Severity::Error, include_str!("guard_never_opens.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    // Other guards never prevent the first firing.
    let opens = |guard: &&RuleGuard| matches!(guard.node, Guard::Every(_) | Guard::OncePer(_));
    let Some(guard) = rule.guards.iter().find(opens) else { return };
    if !subject.can_hold(rule) {
        return;
    }
    if matches!(find(&due(rule), &subject.assumptions(rule)), SearchResult::Impossible) {
        let message = format!("rule `{}` can never be due", rule.name);
        let mut finding = LINT.finding(guard.span, message, "allows the rule only when its condition does not hold");
        if let Some(when) = rule.clause("when") {
            finding = finding.label(when, "the condition of the rule");
        }
        finding.notes.extend(subject.assumed(rule, |host| matches!(find(&due(rule), host), SearchResult::Impossible)));
        findings.push(finding.help("change the condition or the guard so that both can hold at once"));
    }
}
