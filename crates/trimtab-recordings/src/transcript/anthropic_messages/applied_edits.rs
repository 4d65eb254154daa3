//! Edits of the context that the provider makes itself: tool results that it has cleared in a request.
//!
//! The response states how many results are cleared, not which: the oldest ones, apart from those of excluded tools.

use foldhash::HashMap;
use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Cleared, Message};

use crate::transcript::envelope::Envelope;
use crate::transcript::wire::{self, Count, List, Raw, Str, TokenCount};

/// The beginning of the types of edits that clear results.
const CLEARS_RESULTS: &str = "clear_tool_uses";

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    context_management: Option<Raw<'a>>,
}

/// The edits that are wanted or that have been made.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ContextManagement<'a> {
    #[serde(borrow)]
    edits: List<'a>,
    applied_edits: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Edit<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    exclude_tools: List<'a>,
    cleared_tool_uses: Count,
    cleared_input_tokens: TokenCount,
}

/// Marks the results that the provider has cleared before the last message, the reply.
pub(super) fn add(messages: &mut [Message], envelope: &Envelope<'_>) {
    let response: Response<'_> = wire::parse_or_default(envelope.response);
    let made: ContextManagement<'_> = wire::parse_or_default(response.context_management);
    let (mut count, mut tokens) = (0, None::<u64>);
    for edit in clearings(&made.applied_edits) {
        count +=
            usize::try_from(edit.cleared_tool_uses.0.unwrap_or_default()).unwrap_or(usize::MAX).min(messages.len());
        tokens = edit.cleared_input_tokens.0.map(|more| more.saturating_add(tokens.unwrap_or_default())).or(tokens);
    }
    let wanted: ContextManagement<'_> = wire::parse_or_default(envelope.context_management);
    let excluded: Vec<SmolStr> = clearings(&wanted.edits).flat_map(|edit| names(&edit.exclude_tools)).collect();
    let Some((reply, before)) = messages.split_last_mut().filter(|(reply, _)| count > 0 && reply.is_reply()) else {
        return;
    };
    let tools: HashMap<&SmolStr, &SmolStr> =
        before.iter().flat_map(Message::calls).map(|(id, tool, _)| (id, tool)).collect();
    let is_excluded = |id: &SmolStr| tools.get(id).is_some_and(|tool| excluded.contains(tool));
    let ids = before.iter().flat_map(Message::results).map(|result| &result.id);
    let results: Vec<SmolStr> = ids.filter(|id| !is_excluded(id)).take(count).cloned().collect();
    if !results.is_empty() {
        reply.harness_edits.get_or_insert_default().cleared = Some(Cleared { results, tokens });
    }
}

/// The edits in a list that clear results.
fn clearings<'a>(edits: &List<'a>) -> impl Iterator<Item = Edit<'a>> {
    let edits = edits.0.iter().flatten().filter_map(|raw| raw.object::<Edit<'a>>());
    edits.filter(|edit| edit.kind.as_str().starts_with(CLEARS_RESULTS))
}

fn names(list: &List<'_>) -> Vec<SmolStr> {
    list.0.iter().flatten().filter_map(|raw| raw.parse::<Str<'_>>()?.non_empty()).collect()
}
