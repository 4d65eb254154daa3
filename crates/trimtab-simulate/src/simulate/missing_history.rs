//! The history that a recording lacks because it begins in the middle of the conversation.

use super::segment::RecordedCall;

/// The tokens of that history in the context of each call: what is sent besides the recorded messages, without what is
/// still sent after the context is reset. Without a reset, only `tools` tokens are known to be schemas of tools, and
/// the system prompt counts as history.
pub(super) fn tokens(calls: &[RecordedCall], overheads: &[u64], tools: u64) -> Vec<u64> {
    let reset = calls.iter().skip(1).position(|call| call.starts_segment).map(|at| at + 1);
    let remaining = reset.and_then(|at| overheads.get(at)).copied().unwrap_or(tools);
    overheads.iter().take(reset.unwrap_or(calls.len())).map(|overhead| overhead.saturating_sub(remaining)).collect()
}
