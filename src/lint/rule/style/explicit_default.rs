//! `explicit-default`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::{is_native_form, remove_label};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::phase::Phase;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "explicit-default",
        severity: Severity::Info,
        title: "a label that says what holds anyway",
        why: "What is left out has a value that the reference names. Where a policy repeats it, the reader wonders \
              what is special about it.",
        wrong: "edition 2026\npolicy p {\n  rule a { on request when context.ratio >= 60% do mask results preview 80 chars }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if !is_native_form(subject) {
        return;
    }
    // In an override it may take the place of another phase.
    let stands_alone = rule.origin.overrides.is_empty();
    if let Some(span) = rule.clause("on").filter(|_| stands_alone && rule.phase == Phase::Request) {
        let mut finding = LINT.finding(span, "`on request` holds anyway", "the phase of a rule that names none");
        if !subject.holds_comment(span) {
            finding.fixes.push(fix("take it out", true, removal(subject, span)));
        }
        found.push(finding);
    }
    for action in rule.all_actions() {
        for label in &action.labels {
            let Some(span) = label.span.filter(|_| effect_scope::is_default(label)) else { continue };
            let message = format!("`{}` holds anyway", subject.text(span));
            let mut finding = LINT.finding(span, message, "the value of a label that is left out");
            finding.fixes.extend(remove_label(subject, span, "take it out", true));
            found.push(finding);
        }
    }
}
