//! `tokens-chars-mix`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_base::source::Span;
use trimtab_language::check::{Action, Policy};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("tokens-chars-mix", Severity::Info, include_str!("tokens_chars_mix.md")),
    category: Category::Units,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// Characters per token, for converting one unit into the other.
const CHARS: u32 = 4;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        in_policy(policy, findings);
    }
}

fn in_policy(policy: &Policy, findings: &mut Vec<Diagnostic>) {
    let mut first: Option<(Quantity, Span)> = None;
    for action in policy.rules.iter().flat_map(|rule| &rule.actions) {
        let Some((length, span)) =
            action.explicit(LabelRole::ResultLimit).filter(|_| action.effect.kind == EffectKind::CutContent)
        else {
            continue;
        };
        match first {
            None => first = Some((length, span)),
            Some((other, place)) if other.unit != length.unit => {
                findings.push(finding(action, length, span, other, place));
            }
            Some(_) => {}
        }
    }
}

fn finding(action: &Action, length: Quantity, span: Span, other: Quantity, place: Span) -> Diagnostic {
    let message = format!("results are trimmed to `{length}` here and to `{other}` elsewhere");
    let mut finding = LINT
        .finding(span, message, format!("in {}", length.unit.noun()))
        .label(place, format!("in {}", other.unit.noun()))
        .help("use one unit for both; a token is about four characters of English");
    let chars = Decimal::from(CHARS);
    let amount = if other.unit == Unit::Chars { length.amount * chars } else { (length.amount / chars).ceil() };
    let text = Quantity::new(amount, other.unit).to_string();
    let edit = set_label(action, LabelRole::ResultLimit, &text);
    finding.fixes.extend(edit.map(|edit| fix(format!("write `to {text}`"), false, edit)));
    finding
}
