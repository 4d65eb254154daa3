//! `reduce-after-summarise`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::moved;
use crate::lint::analysis::step_order::{ActionStep, for_each_pair, runs_after_summary};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("reduce-after-summarise", Severity::Warning, include_str!("reduce_after_summarise.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for_each_pair(subject, effect_scope::summarises_everything, |earlier, later| {
        findings.extend(idle(subject, earlier, later));
    });
}

fn idle(subject: &Subject<'_>, summary: ActionStep<'_>, later: ActionStep<'_>) -> Option<Diagnostic> {
    if !later.action.effect.kind.edits_content() || !runs_after_summary(subject, summary.rule, later.rule) {
        return None;
    }
    let message = format!("`{}` finds nothing after everything was summarised", later.action.effect.name);
    let mut finding = LINT
        .finding(later.action.span, message, "nothing is left to reduce")
        .label(summary.action.span, "everything is summarised here")
        .help("move it before the summary with a lower threshold, or into `on_failure then` of the summary");
    if !std::ptr::eq(summary.rule, later.rule) {
        finding.fixes.extend(moved(subject, later.rule, summary.rule, true));
    }
    Some(finding)
}
