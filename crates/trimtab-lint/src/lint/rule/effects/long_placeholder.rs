//! `long-placeholder`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Unit, grouped};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("long-placeholder", Severity::Warning, include_str!("long_placeholder.md")),
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/google-gemini/gemini-cli/pull/7047"],
    options: &[&CHARS],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

static CHARS: LintOption = LintOption {
    name: "chars",
    unit: Unit::Chars,
    default: Decimal::from_parts(200, 0, 0, false, 0),
    summary: "The longest accepted placeholder.",
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let most = subject.option(&CHARS);
    for action in rule.all_actions() {
        let Some(label) = action.effect.label_for(LabelRole::Placeholder) else { continue };
        let length = match action.effect.kind {
            EffectKind::ReplaceContent if action.inert(label).is_none() => effect_scope::placeholder(action),
            EffectKind::CutContent => action.template(LabelRole::Placeholder).map_or(0, effect_scope::literal_chars),
            _ => 0,
        };
        if Decimal::from(length) > most {
            findings.push(long(subject, action, length, most));
        }
    }
}

fn long(subject: &Subject<'_>, action: &Action, length: usize, most: Decimal) -> Diagnostic {
    let preview = action.quantity(LabelRole::Preview).filter(|_| action.effect.kind == EffectKind::ReplaceContent);
    let literal = action.template(LabelRole::Placeholder).map_or(0, effect_scope::literal_chars);
    let is_shown = effect_scope::shows_preview(action) && preview.is_some();
    let by_preview = is_shown && Decimal::from(literal) + Decimal::from(120) <= most;
    let place = if by_preview { action.place(LabelRole::Preview) } else { action.place(LabelRole::Placeholder) };
    let span = place.unwrap_or(action.span);
    let message = format!("the placeholder is about {} characters long", grouped(length.into()));
    let mut finding = LINT
        .finding(span, message, format!("more than {}", grouped(most)))
        .help("include only what the model needs to continue");
    if by_preview && let Some(span) = action.place(LabelRole::Preview) {
        finding.fixes.extend(remove_label(subject, span, "use the default of 80 chars", false));
    }
    finding
}
