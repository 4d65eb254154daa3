//! `minimum-above-window`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("minimum-above-window", Severity::Warning, include_str!("minimum_above_window.md")),
    category: Category::Kept,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let Some((least, span)) = action.explicit(LabelRole::LeastRetained) else { continue };
        let Some(last) = action.quantity(LabelRole::Retained).filter(|last| least.amount >= last.amount) else {
            continue;
        };
        let mut finding = LINT
            .finding(span, format!("the window of `{}` is never smaller than {last}", rule.name), "not below `last`")
            .help("choose a minimum below `last`, or remove `min` and `down_to`");
        if last.to_u64() > 1 {
            let edit = set_label(action, LabelRole::LeastRetained, "1 interaction");
            finding.fixes.extend(edit.map(|edit| fix("write `min 1 interaction`", false, edit)));
        }
        findings.push(finding);
    }
}
