//! Internal agents of Claude Code, which write the summary of a compaction or suggest a prompt.

use super::HarnessCallKind;

/// The prefixes of the ids of internal agents, with the kind of their calls.
const PREFIXES: [(&str, HarnessCallKind); 2] =
    [("acompact-", HarnessCallKind::Summary), ("aprompt_suggestion-", HarnessCallKind::Other)];

/// Whether the agent with this id is an internal agent of Claude Code.
pub fn is_internal_agent(id: &str) -> bool {
    kind(id).is_some()
}

/// Returns the kind of the calls of an internal agent, or `None` for another agent.
pub(super) fn kind(id: &str) -> Option<HarnessCallKind> {
    PREFIXES.iter().find(|(prefix, _)| id.starts_with(prefix)).map(|(_, kind)| *kind)
}
