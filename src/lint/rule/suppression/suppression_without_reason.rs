//! `suppression-without-reason`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "suppression-without-reason",
        severity: Severity::Warning,
        title: "a suppression that does not say why",
        why: "In half a year nobody knows whether a finding was looked at or only silenced. A suppression without \
              a reason keeps nothing back.",
        wrong: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation)\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) it reads better here\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
    },
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, found: &mut Vec<Diagnostic>) {
    for one in suppressions.all.iter().filter(|one| one.reason.is_empty()) {
        let message = "a suppression needs a reason".to_owned();
        let help = "write why the finding is fine here behind the parenthesis";
        found.push(LINT.finding(one.span, message, "no reason is given, so nothing is kept back").help(help));
    }
}
