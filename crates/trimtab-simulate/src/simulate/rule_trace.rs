//! What one rule did in a replay.

use smol_str::SmolStr;
use trimtab_language::effect::IdleReason;
use trimtab_run::run::IdleAction;

use super::money::RuleMoney;

/// What one rule did.
#[derive(Clone, Debug, Default)]
pub struct RuleTrace {
    /// Its name.
    pub name: SmolStr,
    /// How often it was due.
    pub due: usize,
    /// How often it fired.
    pub fired: usize,
    /// How often a person declined it.
    pub declined: usize,
    /// How many edits it made.
    pub edits: usize,
    /// Tokens that its edits saved, summed over the calls; negative if they added tokens.
    pub saved: i128,
    /// How often `down_to` was not reached, and by how many tokens at most.
    pub short: (usize, u64),
    /// The calls at which it fired.
    pub calls: Vec<usize>,
    /// Why its actions changed nothing when it was due: each reason once, in order of appearance.
    pub idle: Vec<IdleCount>,
    /// What it saved and caused.
    pub money: RuleMoney,
}

/// A reason why an action of a rule changed nothing.
#[derive(Clone, Debug)]
pub struct IdleCount {
    /// The effect and its target.
    pub action: String,
    /// The most recent reason of this kind.
    pub reason: IdleReason,
    /// How often.
    pub times: usize,
}

impl IdleCount {
    /// Whether another one has the same action and the same kind of reason.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        self.action == other.action && self.reason.word() == other.reason.word()
    }
}

impl RuleTrace {
    /// Releases the memory that a growing list keeps in reserve.
    pub(super) fn shrink(&mut self) {
        self.calls.shrink_to_fit();
        self.idle.shrink_to_fit();
    }

    /// Records why the rule was idle.
    pub(super) fn record_idle(&mut self, actions: Vec<IdleAction>) {
        for IdleAction { action, reason } in actions {
            let new = IdleCount { action, reason, times: 1 };
            match self.idle.iter_mut().find(|earlier| earlier.is_same_kind(&new)) {
                Some(earlier) => (earlier.reason, earlier.times) = (reason, earlier.times + 1),
                None => self.idle.push(new),
            }
        }
    }
}
