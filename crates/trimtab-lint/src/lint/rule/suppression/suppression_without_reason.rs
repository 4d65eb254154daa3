//! `suppression-without-reason`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions};

pub(super) static LINT: Lint = Lint {
    code: Code::new("suppression-without-reason", Severity::Warning, include_str!("suppression_without_reason.md")),
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, findings: &mut Vec<Diagnostic>) {
    for suppression in suppressions.all.iter().filter(|suppression| suppression.reason.is_empty()) {
        let message = "this suppression has no reason".to_owned();
        let help = "write the reason after the parenthesis";
        findings.push(LINT.finding(suppression.span, message, "suppresses nothing without a reason").help(help));
    }
}
