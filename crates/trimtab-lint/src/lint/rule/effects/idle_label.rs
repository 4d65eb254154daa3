//! `idle-label`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;

use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("idle-label", Severity::Warning, include_str!("idle_label.md")),
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
