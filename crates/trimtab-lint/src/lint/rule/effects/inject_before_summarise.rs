//! `inject-before-summarise`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::moved;
use crate::lint::analysis::step_order::{ActionStep, for_each_pair};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("inject-before-summarise", Severity::Warning, include_str!("inject_before_summarise.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for_each_pair(subject, effect_scope::injects, |message, later| {
        if effect_scope::summarises_everything(later.action) {
            findings.push(finding(subject, message, later));
        }
    });
}

fn finding(subject: &Subject<'_>, message: ActionStep<'_>, summary: ActionStep<'_>) -> Diagnostic {
    let text = "if both rules fire at the same call, the message becomes part of the summary";
    let mut finding = LINT
        .finding(message.action.span, text, "the model may not see this message")
        .label(summary.action.span, "everything is summarised here")
        .help("inject the message after the summary, or `keep` some messages in the summary");
    if !std::ptr::eq(message.rule, summary.rule) {
        finding.fixes.extend(moved(subject, message.rule, summary.rule, false));
    }
    finding
}
