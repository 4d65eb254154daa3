//! What Cline adds to its messages, and the form of its tool results.

use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, ToolResult, Usage};

use crate::transcript::usage as counts;
use crate::transcript::wire::{self, Raw, Str, TokenCount};

#[derive(Deserialize, Default)]
#[serde(default)]
struct ModelInfo<'a> {
    #[serde(borrow)]
    id: Str<'a>,
}

/// The model of a reply.
pub(super) fn model(raw: Option<Raw<'_>>) -> Option<SmolStr> {
    wire::parse_or_default::<ModelInfo<'_>>(raw).id.non_empty()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Metrics {
    #[serde(rename = "inputTokens")]
    input: TokenCount,
    #[serde(rename = "cacheReadTokens")]
    cache_read: TokenCount,
    #[serde(rename = "cacheWriteTokens")]
    cache_write: TokenCount,
    #[serde(rename = "outputTokens")]
    output: TokenCount,
}

/// The usage of a reply: the input includes cache reads and cache writes.
pub(super) fn usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let metrics: Metrics = raw.and_then(Raw::object)?;
    metrics.input.0?;
    Some(counts::with_larger_cache([metrics.input, metrics.cache_read, metrics.cache_write, metrics.output]))
}

/// Reads a result that is a list of outcomes, one for each file or command of the call. Cline sends it as JSON. The call has
/// failed if any outcome has.
pub(super) fn read_outcomes(result: &mut ToolResult) {
    let outcomes = result.attachments.iter().map(|body| match body {
        Body::Other(json) if json["query"].is_string() => json["success"].as_bool().map(|success| (&**json, success)),
        _ => None,
    });
    let Some(outcomes) = outcomes.collect::<Option<Vec<_>>>() else { return };
    if outcomes.is_empty() || !result.text.is_empty() {
        return;
    }
    result.is_error |= outcomes.iter().any(|(_, success)| !success);
    let list: Json = outcomes.into_iter().map(|(json, _)| json.clone()).collect();
    result.text = list.to_string().into();
    result.attachments.clear();
}
