//! `explicit-default`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::phase::Phase;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("explicit-default", Severity::Info, include_str!("explicit_default.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() {
        return;
    }
    // In an override it may replace another phase.
    let stands_alone = rule.origin.overrides.is_empty();
    if let Some(span) = rule.clause("on").filter(|_| stands_alone && rule.phase == Phase::Request) {
        let mut finding = LINT.finding(span, "`on request` is the default", "the default phase of a rule");
        finding.fixes.push(fix("remove it", true, removal(subject, span)));
        findings.push(finding);
    }
    for action in rule.all_actions() {
        for label in &action.labels {
            let Some(span) = label.span.filter(|_| effect_scope::is_default(action, label)) else { continue };
            let message = format!("`{}` is the default", subject.quote(span));
            let mut finding = LINT.finding(span, message, "the default of this label");
            finding.fixes.extend(remove_label(subject, span, "remove it", true));
            findings.push(finding);
        }
    }
}
