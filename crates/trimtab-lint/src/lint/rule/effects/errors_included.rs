//! `errors-included`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::effect_scope::takes_errors;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("errors-included", Severity::Info, include_str!("errors_included.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let Some(span) = action.place(LabelRole::Errors).filter(|_| takes_errors(action)) else { continue };
        let message = format!("`{}` also reduces error results", action.effect.name);
        let mut finding = LINT.finding(span, message, "the model no longer sees what failed");
        finding.fixes.extend(remove_label(subject, span, "do not reduce errors", false));
        findings.push(finding);
    }
}
