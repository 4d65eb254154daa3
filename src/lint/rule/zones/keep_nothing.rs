//! `keep-nothing`

use crate::check::{Action, Label, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::effect::{EffectKind, LabelRole, Scope};
use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::is_heavy;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::quantity::{Decimal, Quantity};
use crate::source::Span;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "keep-nothing",
        severity: Severity::Warning,
        title: "nothing of the tail is kept",
        why: "The newest results and messages are what the agent is working with. When none is kept, it loses what \
              it has just read before it could use it, asks for it again, and loses it again.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 0 results at_least 4k tokens }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 4 results at_least 4k tokens }\n}\n",
    },
    category: Category::Zones,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// How much the fix keeps.
const SOME: u8 = 4;

fn check(_: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    for action in rule.actions.iter().filter(|action| uses_tail(action)) {
        let zero = action.labels.iter().find_map(|label| nothing(label).map(|(unit, span)| (label, unit, span)));
        let Some((label, kept, span)) = zero else { continue };
        let message = format!("`{}` takes even the newest content away", rule.name);
        let text = Quantity { amount: Decimal::from(SOME), ..kept }.to_string();
        let mut finding = LINT
            .finding(span, message, "nothing stays as it is")
            .help("keep what the agent has read since its last few calls");
        let text = format!("{} {text}", label.descriptor.name);
        finding.fixes.push(fix(format!("write `{text}`"), false, TextEdit { span, text }));
        found.push(finding);
    }
}

/// Whether an action could take what the agent works with; thinking of the open loop stays anyway, `all` says it, and a
/// cut leaves the beginning and the end of what it cuts.
fn uses_tail(action: &Action) -> bool {
    (action.effect.kind == EffectKind::ReplaceContent || is_heavy(action))
        && !matches!(action.scope(), Some(Scope::Thinking | Scope::AllMessages))
}

/// A label that keeps nothing, and where it says so.
fn nothing(label: &Label) -> Option<(Quantity, Span)> {
    label.written().filter(|(kept, _)| {
        matches!(label.descriptor.role, Some(LabelRole::Keep | LabelRole::RecentZone)) && kept.amount.is_zero()
    })
}
