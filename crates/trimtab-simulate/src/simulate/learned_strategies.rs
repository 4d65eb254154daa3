//! What a replay has learned.

use std::sync::Arc;

use trimtab_base::playbook::{Playbook, Strategy};

/// The playbook of a replay before its first call and after its last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The playbook with which the recording began.
    pub before: Arc<Playbook>,
    /// The playbook at the end.
    pub after: Playbook,
}

impl Learned {
    /// The number of strategies that were added.
    pub fn added(&self) -> usize {
        self.after.strategies().iter().filter(|new| self.before.get(&new.id).is_none()).count()
    }

    /// The number of strategies that were removed.
    pub fn removed(&self) -> usize {
        self.before.strategies().iter().filter(|old| self.after.get(&old.id).is_none()).count()
    }

    /// The number of strategies that were there before and have another text or other counts.
    pub fn changed(&self) -> usize {
        let differs = |new: &&Strategy| self.before.get(&new.id).is_some_and(|old| old != *new);
        self.after.strategies().iter().filter(differs).count()
    }
}
