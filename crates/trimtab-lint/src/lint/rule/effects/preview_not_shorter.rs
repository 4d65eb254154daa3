//! `preview-not-shorter`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Quantity, Unit};
use trimtab_language::check::Action;
use trimtab_language::effect::{DEFAULT_MARKER_CHARS, EffectKind, LabelRole};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::step_order::{ActionStep, already_reduced};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("preview-not-shorter", Severity::Warning, include_str!("preview_not_shorter.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/google-gemini/gemini-cli/pull/7047",
        "https://github.com/can1357/oh-my-pi/issues/10023",
    ],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    already_reduced(subject, (EffectKind::CutContent, EffectKind::ReplaceContent), findings, idle);
}

/// Returns the longest text that a trim leaves of a result, including the marker, or `None` if the limit is not in
/// characters.
fn left(cut: &Action) -> Option<(Quantity, u64)> {
    let limit = cut.quantity(LabelRole::ResultLimit).filter(|limit| limit.unit == Unit::Chars)?;
    let marker = match cut.template(LabelRole::Placeholder) {
        Some(text) if text.variables().next().is_some() => return None,
        Some(text) => effect_scope::literal_chars(text),
        None => DEFAULT_MARKER_CHARS,
    };
    Some((limit, limit.to_u64().saturating_add(u64::try_from(marker).ok()?)))
}

fn idle(cut: ActionStep<'_>, mask: ActionStep<'_>) -> Option<Diagnostic> {
    let (limit, left) = left(cut.action)?;
    let placeholder = u64::try_from(effect_scope::placeholder(mask.action)).unwrap_or(u64::MAX);
    let preview = mask.action.quantity(LabelRole::Preview)?;
    let whole = preview.to_u64() >= left || mask.action.template(LabelRole::Placeholder).is_none();
    if !whole || placeholder < left {
        return None;
    }
    let span = mask.action.place(LabelRole::Preview).unwrap_or(mask.action.span);
    let message = format!(
        "a placeholder of {placeholder} chars is not shorter than the {left} chars that an earlier trim leaves"
    );
    let mut finding = LINT
        .finding(span, message, format!("shows {preview} of each result"))
        .label(cut.action.span, format!("leaves {limit} plus a marker"))
        .help("make the preview shorter, or let the trim leave more");
    let less = Quantity::whole(limit.to_u64() / 4, Unit::Chars);
    if span != mask.action.span && less.to_u64() >= 10 {
        let edit = TextEdit { span, text: format!("preview {less}") };
        finding.fixes.push(fix(format!("show {less}"), false, edit));
    }
    Some(finding)
}
