//! The tool that Trimtab declares in policies that move results out of the context.

use trimtab_base::conversation::{RECALL_TOOL, overlap};
use trimtab_language::check::{Policy, Rule};
use trimtab_language::effect::EffectKind;

use crate::lint::Subject;

/// Whether a policy moves results out of the context, so that the agent has the tool that recalls them.
pub(crate) fn offloads(policy: &Policy) -> bool {
    policy.rules.iter().flat_map(Rule::all_actions).any(|action| action.effect.kind == EffectKind::Offload)
}

/// Whether a name of a tool matches the tool that the policies of a file declare themselves.
pub(crate) fn is_declared(subject: &Subject<'_>, name: &str) -> bool {
    overlap(RECALL_TOOL, name) && subject.checked.policies.iter().any(offloads)
}
