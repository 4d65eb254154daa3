//! Which requests are never edited.

use hyper::HeaderMap;
use serde::Serialize;
use trimtab_live::request::Closing;

/// Why a request passes as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PassReason {
    /// It is for an interface whose requests cannot be edited.
    OtherInterface,
    /// It cannot be read: it is damaged, or it continues what the server has stored.
    Unreadable,
    /// It declares no tools, like a request for a title.
    NoTools,
    /// The policy offloads, and the agent has no shell in which it could recall.
    NoShell,
    /// The client compacts the conversation.
    Compaction,
    /// The header `x-trimtab` or the file `off` turns edits off.
    Off,
    /// The provider has rejected an edit of this conversation.
    EditsDisabled,
    /// An internal error.
    Failure,
}

/// What clients write when they ask for a summary of their conversation, in lower case: Claude Code, Codex, OpenCode and Gemini
/// CLI.
static COMPACTION_PHRASES: &[&str] = &[
    "detailed summary of the conversation",
    "detailed summary of our conversation",
    "context checkpoint compaction",
    "handoff summary",
    "anchored summary",
    "<state_snapshot>",
];

/// Why a request is not edited, if it is not.
pub(super) fn passed(headers: &HeaderMap, closing: &Closing) -> Option<PassReason> {
    if headers.get("x-trimtab").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"off")) {
        return Some(PassReason::Off);
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let of_codex: serde_json::Value = serde_json::from_str(text("x-codex-turn-metadata")).unwrap_or_default();
    let names_compaction = of_codex.get("request_kind").and_then(|kind| kind.as_str()) == Some("compaction")
        || text("x-openai-subagent") == "compact"
        || !text("x-deepseek-harness-compact").is_empty();
    let asks = || {
        let last = closing.last.to_lowercase();
        COMPACTION_PHRASES.iter().any(|phrase| last.contains(phrase))
    };
    if names_compaction || closing.asks_for_compaction || asks() {
        return Some(PassReason::Compaction);
    }
    (!closing.has_tools).then_some(PassReason::NoTools)
}
