//! `arrivals-on-reply`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::Rule;
use trimtab_language::effect::TargetKind;
use trimtab_language::phase::Phase;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("arrivals-on-reply", Severity::Warning, include_str!("arrivals_on_reply.md")),
    category: Category::Effects,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if rule.phase != Phase::Reply {
        return;
    }
    for action in rule.all_actions().filter(|action| action.target_kind() == Some(TargetKind::Arrivals)) {
        let message = format!("`{}` never has anything to edit", rule.name);
        let mut finding = LINT
            .finding(action.span, message, "there are no new results on `reply`")
            .help("edit them on `request`, before they are first sent");
        if let Some(span) = rule.clause("on") {
            finding = finding.label(span, "the phase after a reply");
            let edit = TextEdit { span, text: "on request".to_owned() };
            finding.fixes.push(fix("write `on request`", false, edit));
        }
        findings.push(finding);
    }
}
