//! `trim-after-mask`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_rule;
use crate::lint::analysis::step_order::{ActionStep, already_reduced};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("trim-after-mask", Severity::Warning, include_str!("trim_after_mask.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    already_reduced(subject, (EffectKind::ReplaceContent, EffectKind::CutContent), findings, |mask, cut| {
        idle(subject, mask, cut)
    });
}

fn idle(subject: &Subject<'_>, mask: ActionStep<'_>, trim: ActionStep<'_>) -> Option<Diagnostic> {
    let limit = trim.action.quantity(LabelRole::ResultLimit)?;
    let left = u64::try_from(effect_scope::placeholder(mask.action)).unwrap_or(u64::MAX);
    if limit.to_u64() < left {
        return None;
    }
    let message = format!("results are trimmed to {limit} after they were masked");
    let mut finding = LINT
        .finding(trim.action.span, message, "nothing is left to trim")
        .label(mask.action.span, format!("leaves about {left} chars of each result"))
        .help("remove this trim, or keep a longer tail in the mask than in the trim");
    finding.fixes.extend(remove_rule(subject, trim.rule));
    Some(finding)
}
