//! The usage of an API call, in an event of its own.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::Usage;

use crate::transcript::usage;
use crate::transcript::wire::{self, Fields, Raw, Str, TokenCount};

/// The events with the usage of a call.
pub(super) const KINDS: [&str; 2] = ["session.usage_record", "assistant.usage"];

/// The usage of an API call.
#[derive(Debug)]
pub(super) struct UsageRecord {
    /// The call, or `None` if it is not recorded.
    pub(super) api_call: Option<SmolStr>,
    pub(super) usage: Option<Usage>,
    pub(super) model: Option<SmolStr>,
    /// The most tokens that Copilot sends.
    pub(super) prompt_limit: Option<u64>,
    /// The number of messages of the session before it.
    pub(super) messages: usize,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Wire<'a> {
    #[serde(borrow)]
    api_call_id: Str<'a>,
    model: Str<'a>,
    input_tokens: TokenCount,
    cache_read_tokens: TokenCount,
    cache_write_tokens: TokenCount,
    output_tokens: TokenCount,
    max_prompt_tokens: TokenCount,
}

impl UsageRecord {
    /// The usage in an event. The input includes the cache.
    pub(super) fn of(event: Raw<'_>) -> Self {
        let data = event.object::<Fields<'_>>().and_then(|event| event.get("data"));
        let inner = data.and_then(Raw::object::<Fields<'_>>).and_then(|data| data.get("usage"));
        let wire: Wire<'_> = wire::parse_or_default(inner.or(data));
        let recorded = [wire.input_tokens, wire.cache_read_tokens, wire.cache_write_tokens, wire.output_tokens];
        Self {
            api_call: wire.api_call_id.non_empty(),
            usage: Some(usage::with_cache(recorded)).filter(|usage| usage.total() > 0),
            model: wire.model.non_empty(),
            prompt_limit: wire.max_prompt_tokens.0.filter(|tokens| *tokens > 0),
            messages: 0,
        }
    }
}
