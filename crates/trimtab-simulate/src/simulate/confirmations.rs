//! How a person answers the questions of rules in a replay.

use trimtab_run::run::Answer;

/// How a person answers the questions of rules: by default, every one is declined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmations {
    /// How many questions are declined before the others are confirmed.
    pub declined: u64,
}

impl Default for Confirmations {
    fn default() -> Self {
        Self::NEVER
    }
}

impl Confirmations {
    /// Every question is confirmed.
    pub const ALWAYS: Self = Self { declined: 0 };
    /// Every question is declined.
    pub const NEVER: Self = Self { declined: u64::MAX };

    /// Whether the next question is confirmed.
    pub(super) const fn confirms(&mut self) -> bool {
        let confirms = self.declined == 0;
        if self.declined < u64::MAX {
            self.declined = self.declined.saturating_sub(1);
        }
        confirms
    }

    /// The answer to the next question.
    pub(super) const fn answer(&mut self) -> Answer {
        if self.confirms() { Answer::Confirmed } else { Answer::Declined }
    }
}
