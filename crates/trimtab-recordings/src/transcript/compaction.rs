//! Compactions, which readers know before the first message that follows.

use trimtab_base::conversation::{Compaction, HarnessEdits, Message, Role};

/// Marks a message as the first one after a pending compaction. Tool results are none: they answer calls from before it.
pub(super) fn mark_first(message: &mut Message, pending: &mut Option<Compaction>) {
    if message.role != Role::Tool
        && let Some(compaction) = pending.take()
    {
        message.resets = true;
        message.harness_edits =
            Some(Box::new(HarnessEdits { compaction: Some(compaction), ..HarnessEdits::default() }));
    }
}
