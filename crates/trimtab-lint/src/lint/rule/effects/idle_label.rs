//! `idle-label`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;

use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "idle-label",
        severity: Severity::Warning,
        title: "label without effect",
        why: "Some labels have an effect on some targets only. Reasoning and images belong to no tool and \
              have no placeholder, only results can be errors, a preview is shown only where the \
              placeholder contains `{preview}`, and `except` has an effect only on tools that are \
              selected.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask thinking keep 6 messages except [bash] }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask thinking keep 6 messages }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        for label in &action.labels {
            let (Some(span), Some(why)) = (label.span, action.inert(label.descriptor)) else { continue };
            let name = label.descriptor.name;
            let message = format!("`{name}` has no effect here");
            let mut finding = LINT.finding(span, message, why).help("remove it");
            finding.fixes.extend(remove_label(subject, span, format!("remove `{name}`"), true));
            findings.push(finding);
        }
    }
}
