//! `expired-suppression`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "expired-suppression",
        severity: Severity::Warning,
        title: "expired suppression",
        why: "The suppression was limited to a date that has passed, so the finding is reported again. Fix \
              the finding, or decide again and set a later date.",
        wrong: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) until 2020-01-31 until the rewrite\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) until 2999-01-31 until the rewrite\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
    },
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
