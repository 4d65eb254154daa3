//! `suppression-without-reason`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "suppression-without-reason",
        severity: Severity::Warning,
        title: "suppression without a reason",
        why: "Without a reason nobody can tell later whether the finding was examined or only silenced. A \
              suppression without a reason has no effect.",
        wrong: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation)\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) it reads better here\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
    },
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
