//! `errors-included`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "errors-included",
        severity: Severity::Info,
        title: "error results are reduced",
        why: "Error results are not reduced by default, because a model that no longer sees what failed \
              tries it again. `including errors` removes this protection.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results including errors }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let Some(span) = action.place(LabelRole::IncludeErrors) else { continue };
        let message = format!("`{}` also reduces error results", action.effect.name);
        let mut finding = LINT.finding(span, message, "the model no longer sees what failed");
        finding.fixes.extend(remove_label(subject, span, "do not reduce errors", false));
        findings.push(finding);
    }
}
