//! Recorded numbers of tokens that cannot be right, whatever the format.

use std::sync::Arc;

use trimtab_base::conversation::{MAX_TOKENS, Message, Usage};

use super::Transcript;
use super::record::Skipped;

/// The skipped kind for such a number.
const KIND: &str = "implausible number of tokens";

/// Removes numbers above [`MAX_TOKENS`] and counts them as skipped.
pub(super) fn drop_implausible(transcript: &mut Transcript) {
    let mut dropped = drop_large(&mut transcript.window) + drop_large(&mut transcript.tool_tokens);
    if let Some(live) = &mut transcript.live {
        dropped += drop_large(&mut live.window);
        let numbers = live.tool_tokens.values_mut().chain([&mut live.overhead]);
        dropped += numbers.filter(|tokens| **tokens > MAX_TOKENS).map(|tokens| *tokens = 0).count();
    }
    for message in transcript.messages.iter_mut().filter(|message| !is_plausible(message)) {
        dropped += drop_from(Arc::make_mut(message));
    }
    let calls = transcript.harness_calls.len();
    transcript.harness_calls.retain(|call| call.usage.is_plausible());
    dropped += calls - transcript.harness_calls.len();
    let mut skipped = Skipped(std::mem::take(&mut transcript.skipped));
    skipped.add(KIND, u64::try_from(dropped).unwrap_or(u64::MAX));
    transcript.skipped = skipped.0;
}

/// Removes a number that is too large, and returns how many were removed.
fn drop_large(tokens: &mut Option<u64>) -> usize {
    usize::from(tokens.take_if(|tokens| *tokens > MAX_TOKENS).is_some())
}

fn is_plausible(message: &Message) -> bool {
    let stated = message.harness_edits.as_deref().into_iter().flat_map(|edits| {
        let cleared = edits.cleared.as_ref().and_then(|cleared| cleared.tokens);
        let compaction = edits.compaction.unwrap_or_default();
        [compaction.tokens, compaction.after, cleared]
    });
    let is_small = stated.chain([message.sent]).flatten().all(|tokens| tokens <= MAX_TOKENS);
    is_small && message.usage.is_none_or(Usage::is_plausible)
}

fn drop_from(message: &mut Message) -> usize {
    let usage = message.usage.take_if(|usage| !usage.is_plausible()).is_some();
    let mut dropped = usize::from(usage) + drop_large(&mut message.sent);
    if let Some(edits) = &mut message.harness_edits {
        let sizes = edits.compaction.iter_mut().flat_map(|compaction| [&mut compaction.tokens, &mut compaction.after]);
        dropped += sizes.map(drop_large).sum::<usize>();
        dropped += edits.cleared.as_mut().map_or(0, |cleared| drop_large(&mut cleared.tokens));
    }
    dropped
}
