//! `summary-of-summary`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Action;
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::reduction::summarises_results;
use crate::lint::analysis::step_order::{ActionStep, always_preceded_by, for_each_pair};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("summary-of-summary", Severity::Warning, include_str!("summary_of_summary.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    supersedes: &["reported-ladder"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let summarises = |action: &Action| action.effect.kind == EffectKind::Summarise && !summarises_results(action);
    for_each_pair(subject, summarises, |earlier, later| findings.extend(repeated(subject, earlier, later)));
}

fn repeated(subject: &Subject<'_>, earlier: ActionStep<'_>, later: ActionStep<'_>) -> Option<Diagnostic> {
    if std::ptr::eq(earlier.rule, later.rule)
        || !effect_scope::summarises_everything(later.action)
        || !subject.threshold(later.rule)?.reported
        || !always_preceded_by(subject, later.rule, earlier.rule)
    {
        return None;
    }
    let message = format!("`{}` summarises again what `{}` has just summarised", later.rule.name, earlier.rule.name);
    let finding = LINT
        .finding(later.action.span, message, "due at the same request")
        .label(earlier.action.span, "the first summary")
        .help("put the summary of everything before the other one");
    Some(finding)
}
