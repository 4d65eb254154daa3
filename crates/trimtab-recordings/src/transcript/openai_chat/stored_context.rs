//! What a harness did to its context before a stored message, if the program that exports its database has found that out: such a
//! message has the key `stored_context`.

use serde::Deserialize;
use trimtab_base::conversation::{Compaction, Message};

use crate::transcript::wire::{Flag, Raw};

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    stored_context: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct StoredContext {
    /// The context begins again with this message, because the harness has compacted it.
    resets: Flag,
    /// It is a copy of an earlier message.
    kept: Flag,
    /// The harness wrote it.
    harness: Flag,
}

/// Marks a message that was part of the context after a compaction.
pub(super) fn mark(mut message: Message, raw: Raw<'_>) -> Message {
    let Some(context) = raw.object::<WireMessage<'_>>().and_then(|wire| wire.stored_context) else { return message };
    let Some(context) = context.object::<StoredContext>() else { return message };
    message.harness |= context.harness.0;
    if context.kept.0 {
        message = message.kept_copy();
    }
    if context.resets.0 {
        message.resets = true;
        // Who requested it is not recorded.
        let compaction = Compaction { automatic: true, ..Compaction::default() };
        message.harness_edits.get_or_insert_default().compaction = Some(compaction);
    }
    message
}
