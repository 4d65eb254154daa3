//! `idle-label`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "idle-label",
        severity: Severity::Warning,
        title: "a label that changes nothing here",
        why: "Some labels mean something for some targets only: reasoning and images belong to no tool and get no \
              placeholder, only results are errors, a preview shows only where the placeholder holds `{preview}`, \
              and an exception from tools that are not chosen excepts nothing.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask thinking keep 6 messages except [bash] }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask thinking keep 6 messages }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        for label in &action.labels {
            let (Some(span), Some(why)) = (label.span, action.inert(label.descriptor)) else { continue };
            let name = label.descriptor.name;
            let message = format!("`{name}` changes nothing here");
            let mut finding = LINT.finding(span, message, why).help("take it out");
            finding.fixes.extend(remove_label(subject, span, format!("take `{name}` out"), true));
            found.push(finding);
        }
    }
}
