//! What a recorded harness did to its own context before a message.

use smol_str::SmolStr;

/// What the harness says that it did; see [`Message::resets`](super::Message::resets) for a context that began anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HarnessEdits {
    /// The compaction that the message follows.
    pub compaction: Option<Compaction>,
    /// Results that are placeholders from here on.
    pub cleared: Option<Cleared>,
}

/// A compaction as the recording describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Whether the harness compacted by itself, because the context window was filling up.
    pub automatic: bool,
    /// The size of the context before it, in tokens, as the harness counts.
    pub tokens: Option<u64>,
}

/// Tool results that the harness replaced with placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// The ids of the calls that they answer.
    pub results: Vec<SmolStr>,
    /// How much that saved, in tokens, as the harness counts.
    pub tokens: Option<u64>,
}

impl Cleared {
    /// Takes in what the harness cleared later at the same place.
    pub fn join(&mut self, later: Self) {
        self.results.extend(later.results);
        self.tokens = match (self.tokens, later.tokens) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
    }
}
