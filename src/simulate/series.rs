//! The two sizes of each call: as recorded, and as the plan would have sent it.

use super::basis::{Basis, Tokens};

/// Follows the recorded size of the context, call by call.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Recorded {
    /// Counted tokens of the recorded conversation.
    pub(super) counted: u64,
    /// Counted tokens of its system prompt.
    pub(super) prompt: u64,
    calls: usize,
    last: Option<(u64, u64)>,
}

impl Recorded {
    /// The recorded harness compacted: only the system prompt is left.
    pub(super) const fn reset(&mut self) {
        self.counted = self.prompt;
        self.last = None;
    }

    /// What is sent beside the messages with the next call, in tokens.
    pub(super) fn overhead(&self, basis: &Basis) -> u64 {
        basis.overheads.get(self.calls).or(basis.overheads.last()).copied().unwrap_or(0)
    }

    /// The size of a call before and after the policy, for a kept conversation that counts so many tokens.
    pub(super) fn call(&mut self, basis: &Basis, usage: Option<u64>, kept: u64) -> (u64, u64) {
        let counted = self.overhead(basis) + self.counted;
        let before = match basis.tokens {
            Tokens::Estimate | Tokens::Best => counted,
            Tokens::Reported | Tokens::Recorded => usage.unwrap_or_else(|| match self.last {
                Some((tokens, at)) => (tokens + self.counted).saturating_sub(at),
                None => counted,
            }),
        };
        self.last = Some((before, self.counted));
        self.calls += 1;
        let after = match basis.tokens {
            Tokens::Recorded => before,
            _ => (before + kept).saturating_sub(self.counted),
        };
        (before, after)
    }
}
