//! `idle-unless`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Condition, Rule};
use trimtab_language::condition::{Decision, Implication, implies};

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("idle-unless", Severity::Warning, include_str!("idle_unless.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Mixed,
    supersedes: &["redundant-part"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let (Some(when), Some(unless)) = (rule.clause("when"), rule.clause("unless")) else { return };
    let Some(excepted) = &rule.unless else { return };
    if rule.has_until() || !matches!(subject.decision(rule), Some(Decision::Sometimes { .. })) {
        return;
    }
    // The rule is not due while the exception is unknown, so the exception must be known to fail.
    let fails = Condition::Not(Box::new(excepted.clone()));
    if !matches!(implies(&rule.when, &fails, &subject.assumptions(rule)), Implication::Proved) {
        return;
    }
    let message = format!("the exception of rule `{}` never applies", rule.name);
    let mut finding = LINT.finding(unless, message, "never holds when the rule would be due");
    finding = finding.label(when, "whenever this holds");
    let assumed = subject.assumed(rule, |host| matches!(implies(&rule.when, &fails, host), Implication::Proved));
    finding.fixes.push(fix("remove the exception", assumed.is_none(), removal(subject, unless)));
    finding.notes.extend(assumed);
    findings.push(finding);
}
