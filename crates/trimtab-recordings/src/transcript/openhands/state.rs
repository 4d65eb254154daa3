//! The state of a conversation of version 1, which its folder has in `base_state.json`.

use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::transcript::sample::ShallowValue;
use crate::transcript::wire::{self, Raw, Str, TokenCount};

/// What the state says about the conversation.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) id: Option<SmolStr>,
    pub(super) model: Option<SmolStr>,
    pub(super) window: Option<u64>,
    /// The metrics of all model calls.
    pub(super) metrics: Json,
}

/// Whether a record is the state of a conversation.
pub(super) fn is_state(record: &ShallowValue<'_>) -> bool {
    record.has("agent") && record.has("workspace") && (record.has("stats") || record.has("execution_status"))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Wire<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    agent: Agent<'a>,
    stats: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Agent<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    llm: Llm<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Llm<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    max_input_tokens: TokenCount,
}

impl State {
    pub(super) fn of(raw: Raw<'_>) -> Self {
        let wire: Wire<'_> = raw.object().unwrap_or_default();
        Self {
            id: wire.id.non_empty(),
            model: wire.agent.llm.model.non_empty(),
            window: wire.agent.llm.max_input_tokens.0.filter(|window| *window > 0),
            metrics: wire.stats.map(Raw::value).unwrap_or_default(),
        }
    }
}
