//! `keep-covers-window`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Condition, Policy, Rule};
use trimtab_language::effect::{EffectKind, LabelRole};
use trimtab_language::phase::Phase;

use crate::lint::analysis::effect_scope::keeps_interactions;
use crate::lint::analysis::reduction::reduces_contents;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("keep-covers-window", Severity::Warning, include_str!("keep_covers_window.md")),
    category: Category::Kept,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let windows: Vec<(&Rule, &Action)> = always_due(policy).collect();
        for rule in subject.rules_of(policy).filter(|rule| matches!(rule.phase, Phase::Request | Phase::Reply)) {
            let actions = rule.all_actions().filter(|action| reduces_contents(action) && keeps_interactions(action));
            findings.extend(actions.filter_map(|action| hidden_by_window(&windows, rule, action)));
        }
    }
}

/// A finding, if a window limits every request in which the effect of an action could show.
fn hidden_by_window(windows: &[(&Rule, &Action)], rule: &Rule, action: &Action) -> Option<Diagnostic> {
    let kept = action.quantity(LabelRole::Keep)?;
    let narrow = |window: &Action| window.quantity(LabelRole::Retained).is_some_and(|last| last.amount <= kept.amount);
    let (other, window) = windows.iter().find(|(_, window)| narrow(window))?;
    let message = format!("what `{}` reduces is outside the window of `{}`", rule.name, other.name);
    let finding = LINT
        .finding(action.place(LabelRole::Keep).unwrap_or(action.span), message, "keeps all that is sent")
        .label(window.span, "sends no more than this")
        .help("keep fewer interactions than are sent, or remove the reduction");
    Some(finding)
}

/// The windows of the rules that are due at every request, each with its rule. Of several, only one that is narrower than
/// all before it can be the first that is narrow enough.
fn always_due(policy: &Policy) -> impl Iterator<Item = (&Rule, &Action)> {
    let rules = policy.rules.iter().filter(|rule| is_always_due(rule));
    let windows = rules.flat_map(|rule| rule.actions.iter().map(move |action| (rule, action)));
    let mut narrowest = None;
    windows.filter(move |(_, action)| {
        let last = action.quantity(LabelRole::Retained).filter(|_| action.effect.kind == EffectKind::Retain);
        let is_narrower = last.is_some_and(|last| narrowest.is_none_or(|known| last.amount < known));
        narrowest = last.filter(|_| is_narrower).map(|last| last.amount).or(narrowest);
        is_narrower
    })
}

/// Whether a rule is due at every request. An edit lasts, so it is not enough that the window is there when it is made.
fn is_always_due(rule: &Rule) -> bool {
    matches!(rule.condition, Condition::Constant(true)) && rule.guards.is_empty()
}
