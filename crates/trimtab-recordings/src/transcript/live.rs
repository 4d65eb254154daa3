//! What a recording holds of the live session that made it.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::conversation::Recall;
use trimtab_base::playbook::Playbook;
use trimtab_base::quantity::Decimal;

use super::RecordedAnswer;

/// How the live session counted that made a recording, and how its questions were answered. A replay under the same plan
/// uses it to repeat exactly what the session did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// The hash of the plan.
    pub plan: SmolStr,
    /// The context window in tokens, of the model with which the session began.
    pub window: Option<u64>,
    /// Whether every call had this window, because the host or the policy set it.
    pub has_fixed_window: bool,
    /// Whether calls had the models of their replies, because no other model was chosen for the session.
    pub follows_replies: bool,
    /// The declared tokens sent besides the messages.
    pub overhead: u64,
    /// The factor of the token counter in thousandths.
    pub factor: u64,
    /// The tokens of the schema of each tool, as far as they are known.
    pub tool_tokens: BTreeMap<SmolStr, u64>,
    /// The most iterations that the host made in a run, or `None` if it had not declared them.
    pub max_iterations: Option<u64>,
    /// The playbook with which the session began.
    pub playbook: Playbook,
    /// Whether the host distilled strategies.
    pub host_reflects: bool,
    /// How the agent got offloaded content back.
    pub recall: Recall,
    /// The answers to questions, in order.
    pub answers: Vec<RecordedAnswer>,
}

impl Live {
    /// The factor of the token counter, between 0.1 and 10.
    pub fn counter_factor(&self) -> Decimal {
        Decimal::from(self.factor.clamp(100, 10_000)) / Decimal::from(1000)
    }
}
