//! `keep-nothing`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Counted, Quantity, Unit};
use trimtab_base::source::Span;
use trimtab_language::check::{Action, Label, Rule};
use trimtab_language::effect::{EffectKind, LabelRole, TargetKind};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::removes_older_messages;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("keep-nothing", Severity::Warning, include_str!("keep_nothing.md")),
    category: Category::Kept,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// How many items the fix keeps.
const SUGGESTED_KEEP: u64 = 4;

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.actions.iter().filter(|action| uses_tail(action)) {
        let explicit = action.labels.iter().find_map(|label| zero(label).map(|(unit, span)| (label, unit, span)));
        let Some((label, kept, span)) = explicit else { continue };
        let message = format!("`{}` removes even the newest content", rule.name);
        let unit = if kept.unit.is_counted() { kept.unit } else { Unit::Counted(Counted::Messages) };
        let text = Quantity::whole(SUGGESTED_KEEP, unit).to_string();
        let mut finding =
            LINT.finding(span, message, "keeps nothing").help("keep what the agent has read in its last few calls");
        let text = format!("{} {text}", label.descriptor.name);
        finding.fixes.push(fix(format!("write `{text}`"), false, TextEdit { span, text }));
        findings.push(finding);
    }
}

/// Whether an action can remove content that the agent works with. Thinking of the current turn and messages of persons of the current run are
/// always kept, `all` states the intent, a trim keeps the beginning and the end, and newer messages replace what is redundant.
fn uses_tail(action: &Action) -> bool {
    (matches!(action.effect.kind, EffectKind::ReplaceContent | EffectKind::Offload | EffectKind::Remove)
        || removes_older_messages(action))
        && !matches!(
            action.target_kind(),
            Some(TargetKind::Thinking | TargetKind::UserMessages | TargetKind::AllMessages)
        )
        && !action.target_kind().is_some_and(TargetKind::is_redundant)
}

/// The value and the place of a label that keeps nothing.
fn zero(label: &Label) -> Option<(Quantity, Span)> {
    label.explicit().filter(|(kept, _)| {
        matches!(label.descriptor.role, Some(LabelRole::Keep | LabelRole::RecentZone)) && kept.amount.is_zero()
    })
}
