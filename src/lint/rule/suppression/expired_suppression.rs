//! `expired-suppression`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "expired-suppression",
        severity: Severity::Warning,
        title: "a suppression whose day has gone",
        why: "Who allowed the finding wanted to look at it again by that day. The finding is back; decide anew.",
        wrong: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) until 2020-01-31 until the rewrite\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) until 2999-01-31 until the rewrite\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
    },
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, found: &mut Vec<Diagnostic>) {
    for one in suppressions.all.iter().filter(|one| one.expired) {
        let Some((_, span)) = one.until else { continue };
        let message = "this suppression has expired".to_owned();
        let mut finding = LINT.finding(span, message, "this day has gone");
        finding.fixes.push(fix("take the comment out", false, suppressions.removal(one.span)));
        found.push(finding.help("mend what it allows, or give it a later day"));
    }
}
