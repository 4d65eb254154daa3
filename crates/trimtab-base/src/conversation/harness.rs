//! What the recorded harness did to its own context before a message.

use smol_str::SmolStr;

/// What the recording says about edits of the harness. [`Message::resets`](super::Message::resets) marks a context that
/// started over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HarnessEdits {
    /// The compaction before the message.
    pub compaction: Option<Compaction>,
    /// The results that are placeholders from this message on.
    pub cleared: Option<Cleared>,
    /// What differs between the next request and the previous one ahead of their messages.
    pub changed: HeadChange,
}

/// What has changed of a request ahead of its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeadChange {
    /// The tool definitions.
    pub tools: bool,
    /// The system prompt.
    pub prompt: bool,
}

impl HeadChange {
    /// Whether anything has changed.
    pub const fn is_any(self) -> bool {
        self.tools || self.prompt
    }

    /// What has changed, as the words of Trimtab JSONL.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let words = [(self.tools, "tools"), (self.prompt, "system_prompt")];
        words.into_iter().filter(|(is_changed, _)| *is_changed).map(|(_, word)| word)
    }

    /// Records that this has changed, too.
    pub const fn join(&mut self, other: Self) {
        self.tools |= other.tools;
        self.prompt |= other.prompt;
    }
}

/// A compaction as the recording describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Whether the harness compacted on its own because the context window was filling up.
    pub automatic: bool,
    /// The size of the context before it in tokens, as counted by the harness.
    pub tokens: Option<u64>,
    /// The size of the context after it in tokens, as estimated by the harness.
    pub after: Option<u64>,
}

/// Tool results that the harness replaced with placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// The ids of the calls that they answer.
    pub results: Vec<SmolStr>,
    /// The tokens saved, as counted by the harness.
    pub tokens: Option<u64>,
}

impl Cleared {
    /// Adds results that the harness cleared later before the same message.
    pub fn join(&mut self, later: Self) {
        self.results.extend(later.results);
        self.tokens = match (self.tokens, later.tokens) {
            (Some(first), Some(other)) => Some(first.saturating_add(other)),
            (first, other) => first.or(other),
        };
    }
}
