//! `errors-included`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::LabelRole;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "errors-included",
        severity: Severity::Info,
        title: "errors are reduced as well",
        why: "Error results are left alone by themselves, since a model that no longer sees what failed tries it \
              again. `including errors` takes that protection away.",
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

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let Some(span) = action.place(LabelRole::IncludeErrors) else { continue };
        let message = format!("`{}` touches error results too", action.effect.name);
        let mut finding = LINT.finding(span, message, "what failed is forgotten");
        finding.fixes.extend(remove_label(subject, span, "leave errors alone", false));
        found.push(finding);
    }
}
