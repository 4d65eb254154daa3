//! Agents that Claude Code starts for itself: to write the summary of a compaction, and to suggest a prompt.

use super::HarnessCallKind;

/// What the ids of these agents begin with, and what they are for.
const PREFIXES: [(&str, HarnessCallKind); 2] =
    [("acompact-", HarnessCallKind::Summary), ("aprompt_suggestion-", HarnessCallKind::Other)];

/// Whether Claude Code has started an agent for itself.
pub fn is_internal_agent(id: &str) -> bool {
    kind(id).is_some()
}

/// Returns what such an agent is for, or `None` for another agent.
pub(super) fn kind(id: &str) -> Option<HarnessCallKind> {
    PREFIXES.iter().find(|(prefix, _)| id.starts_with(prefix)).map(|(_, kind)| *kind)
}
