//! `expired-suppression`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions};

pub(super) static LINT: Lint = Lint {
    code: Code::new("expired-suppression", Severity::Warning, include_str!("expired_suppression.md")),
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, findings: &mut Vec<Diagnostic>) {
    for suppression in suppressions.all.iter().filter(|suppression| suppression.expired) {
        let Some((_, span)) = suppression.until else { continue };
        let message = "this suppression has expired".to_owned();
        let mut finding = LINT.finding(span, message, "this date has passed");
        finding.fixes.push(fix("remove the comment", false, suppressions.removal(suppression.span)));
        findings.push(finding.help("fix the suppressed finding, or set a later date"));
    }
}
