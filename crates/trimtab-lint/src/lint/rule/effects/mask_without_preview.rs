//! `mask-without-preview`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::Decimal;
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("mask-without-preview", Severity::Info, include_str!("mask_without_preview.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let shows = action.quantity(LabelRole::Preview).is_none_or(|preview| preview.amount > Decimal::ZERO);
        let own = action.template(LabelRole::Placeholder).is_some();
        let (false, false, Some(span)) = (shows, own, action.place(LabelRole::Preview)) else {
            continue;
        };
        let mut finding = LINT.finding(span, "this placeholder shows nothing of the content", "no preview");
        finding.fixes.extend(remove_label(subject, span, "use the default of 80 chars", false));
        findings.push(finding);
    }
}
