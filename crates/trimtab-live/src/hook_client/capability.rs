//! What a plan can do in a hook, which sees one new result and cannot change anything else.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::{EffectKind, LabelRole, TargetKind};
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;

/// What a rule can do in a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// The rule.
    pub rule: SmolStr,
    /// The actions that change new results, such as `trim arrivals`.
    pub used: Vec<String>,
    /// Its other actions.
    pub unused: Vec<UnusedAction>,
}

/// An action that a hook cannot perform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedAction {
    /// The action, such as `mask results`.
    pub title: String,
    /// Why.
    pub reason: &'static str,
}

/// What each rule of a plan can do in a hook.
pub fn capabilities(plan: &Plan) -> Vec<Capability> {
    plan.rules.iter().map(capability).collect()
}

/// The part of a plan that a hook runs.
///
/// Signals stay in rules that change results, since a rule with a signal fires whenever it is due.
pub fn hook_plan(plan: &Plan) -> Plan {
    let changes = |rule: &Rule| rule.actions.iter().any(|action| reason(rule, action).is_none());
    let is_signal = |action: &Action| action.effect.kind == EffectKind::Signal;
    plan.with_actions(|rule, action| reason(rule, action).is_none() || is_signal(action) && changes(rule))
}

/// Whether the plan of a hook may change a text, whatever the session is: not if the text is within the lengths from which all
/// its actions change one.
pub fn may_change(plan: &Plan, text: &str) -> bool {
    let chars = Decimal::from(text.chars().count());
    let changes = |action: &Action| {
        let lengths = [LabelRole::MinimumLength, LabelRole::ResultLimit].map(|role| action.quantity(role));
        let is_within = |length: Quantity| length.unit == Unit::Chars && chars <= length.amount;
        action.target_kind() == Some(TargetKind::Arrivals) && !lengths.into_iter().flatten().any(is_within)
    };
    plan.rules.iter().flat_map(|rule| &rule.actions).any(changes)
}

fn capability(rule: &Rule) -> Capability {
    let (mut used, mut unused) = (Vec::new(), Vec::new());
    for action in &rule.actions {
        match reason(rule, action) {
            None => used.push(action.title()),
            Some(reason) => unused.push(UnusedAction { title: action.title(), reason }),
        }
    }
    Capability { rule: rule.name.clone(), used, unused }
}

/// Returns why a hook cannot perform an action, or `None` if it can.
fn reason(rule: &Rule, action: &Action) -> Option<&'static str> {
    let kind = action.effect.kind;
    let is_of_arrivals = action.target_kind() == Some(TargetKind::Arrivals);
    Some(match kind {
        _ if rule.confirm.is_some() => "a hook can ask nobody",
        EffectKind::Offload if is_of_arrivals => "the agent would need the tool `recall`, which a hook cannot offer",
        EffectKind::ReplaceContent | EffectKind::CutContent if is_of_arrivals && rule.phase == Phase::Request => {
            return None;
        }
        _ if rule.phase == Phase::Overflow => "a hook does not see requests",
        EffectKind::Summarise if is_of_arrivals => "a hook cannot wait for a summary",
        _ if is_of_arrivals => "no result is new in this phase",
        _ if kind.edits_content() => "a hook changes only results that the model has not seen",
        _ if kind.is_view() => "a hook does not see requests",
        EffectKind::AddMessage => "a hook cannot add messages",
        EffectKind::Restore | EffectKind::Boost => "a hook cannot answer a compaction miss",
        EffectKind::Stop => "a hook cannot end a run",
        _ if kind.is_signal() => "there is no host to signal",
        _ => "a hook cannot change the history",
    })
}
