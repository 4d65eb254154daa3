//! Whether the rules of a policy limit what one result can add to the context.

use smol_str::SmolStr;
use trimtab_base::conversation::covers;
use trimtab_language::check::{Action, Policy, Rule};
use trimtab_language::effect::{LabelRole, TargetKind};
use trimtab_language::phase::Phase;

use super::effect_scope;
use super::reduction::is_rate_limited;
use crate::lint::Subject;

/// The window that is assumed where it is unknown, in tokens.
pub(crate) const USUAL_WINDOW: u64 = 200_000;

/// Whether the rules of a policy limit the results of all tools to `most` tokens before a request contains them, at every call.
pub(crate) fn limits_all_results(subject: &Subject<'_>, policy: &Policy, most: u64) -> bool {
    let is_always_due = |rule: &&Rule| {
        rule.phase != Phase::Reply && !is_rate_limited(subject, rule) && subject.threshold(rule).is_none()
    };
    let actions = policy.rules.iter().filter(is_always_due).flat_map(|rule| &rule.actions);
    let limits: Vec<&Action> =
        actions.filter(|action| edits_new_results(action) && effect_scope::longest_left(action) <= most).collect();
    let is_limited = |tool: &SmolStr| limits.iter().any(|action| selects(action, tool));
    let is_complete = |action: &&Action| {
        let spared = action.names(LabelRole::ExceptTools).unwrap_or_default();
        action.names(LabelRole::OnlyTools).is_none() && spared.iter().all(is_limited)
    };
    let declared = subject.checked.agent.tools.as_ref();
    limits.iter().any(is_complete) || declared.is_some_and(|tools| !tools.is_empty() && tools.iter().all(is_limited))
}

/// Whether an action edits results before a request contains them.
fn edits_new_results(action: &Action) -> bool {
    action.effect.kind.edits_content()
        && match action.target_kind() {
            Some(TargetKind::Arrivals) => true,
            Some(TargetKind::Results) => effect_scope::keeps_nothing(action),
            _ => false,
        }
}

/// Whether an action edits the results of all tools with a name or a pattern.
fn selects(action: &Action, tool: &SmolStr) -> bool {
    let tool = std::slice::from_ref(tool);
    let only = action.names(LabelRole::OnlyTools).is_none_or(|only| effect_scope::within(tool, only));
    let spared = action.names(LabelRole::ExceptTools).unwrap_or_default();
    only && !spared.iter().any(|name| effect_scope::within(tool, std::slice::from_ref(name)) || covers(&tool[0], name))
}
