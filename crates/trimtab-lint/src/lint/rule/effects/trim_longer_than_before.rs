//! `trim-longer-than-before`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::placement::remove_rule;
use crate::lint::analysis::step_order::{ActionStep, already_reduced};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("trim-longer-than-before", Severity::Warning, include_str!("trim_longer_than_before.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    already_reduced(subject, (EffectKind::CutContent, EffectKind::CutContent), findings, |earlier, later| {
        idle(subject, earlier, later)
    });
}

fn idle(subject: &Subject<'_>, earlier: ActionStep<'_>, later: ActionStep<'_>) -> Option<Diagnostic> {
    let (first, second) =
        (earlier.action.quantity(LabelRole::ResultLimit)?, later.action.quantity(LabelRole::ResultLimit)?);
    if first.unit != second.unit || second.amount < first.amount {
        return None;
    }
    let message = format!("results are trimmed to {second} after they were trimmed to {first}");
    let mut finding = LINT
        .finding(later.action.span, message, "nothing is left to trim")
        .label(earlier.action.span, format!("trims the same results to {first}"))
        .help("remove this trim, or use a smaller limit");
    finding.fixes.extend(remove_rule(subject, later.rule));
    Some(finding)
}
