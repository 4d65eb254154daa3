//! The actions of a rule that was due: what they did, and why they did nothing.

use trimtab_base::conversation::{Lifetime, Receipt};
use trimtab_language::effect::IdleReason;

/// What the actions of a rule did.
#[derive(Clone, Debug, Default)]
pub struct Firing {
    /// A receipt for each edit.
    pub receipts: Vec<Receipt>,
    /// The tokens by which `down_to` was missed.
    pub shortfall: u64,
    /// How many messages were added.
    pub injections: usize,
    /// How many summaries were added.
    pub summaries: usize,
    /// How many effects without edits did something: signals, boosts of tools and views.
    pub effects_without_edits: usize,
    /// What views took away from the next request, in tokens, and how long they last. Negative if they added tokens.
    pub view_savings: Vec<(Lifetime, i128)>,
    /// The actions that did nothing.
    pub idle: Vec<IdleAction>,
}

impl Firing {
    /// Whether anything was done.
    pub(super) const fn is_effective(&self) -> bool {
        self.effects_without_edits > 0 || !self.receipts.is_empty()
    }
}

/// An action that did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleAction {
    /// The effect and its target, such as `mask results`.
    pub action: String,
    /// The reason.
    pub reason: IdleReason,
}
