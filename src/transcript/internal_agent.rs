//! Agents that Claude Code starts for itself: to write the summary of a compaction, and to suggest a prompt.

/// What the ids of these agents begin with.
const PREFIXES: [&str; 2] = ["acompact-", "aprompt_suggestion-"];

/// Whether Claude Code has started an agent for itself.
pub fn is_internal_agent(id: &str) -> bool {
    PREFIXES.iter().any(|prefix| id.starts_with(prefix))
}
