//! `summary-without-failure`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::clause_after;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("summary-without-failure", Severity::Warning, include_str!("summary_without_failure.md")),
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(summary) = rule.actions.iter().find(|action| action.effect.kind.can_fail()) else { return };
    if rule.clause("on_failure").is_some() {
        return;
    }
    let message = format!("`{}` may fail, and the rule has no `on_failure`", summary.effect.name);
    let mut finding = LINT
        .finding(summary.span, message, "needs a summariser")
        .help("`on_failure keep` leaves the context unchanged; `on_failure then` applies another effect");
    let edit = rule.clause("do").map(|span| clause_after(subject, span, "on_failure keep"));
    finding.fixes.extend(edit.map(|edit| fix("add `on_failure keep`", true, edit)));
    findings.push(finding);
}
