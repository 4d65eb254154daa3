//! Compactions, which readers know before the first message that follows, and the messages that they keep.

use foldhash::HashMap;
use smol_str::SmolStr;
use trimtab_base::conversation::{Compaction, HarnessEdits, Message, Role};

use super::limit;

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

/// Counted for each compaction whose kept messages are left out.
pub(super) const KEPT_BEYOND_LIMIT: &str = "compaction beyond the limit of copies";

/// The number of copies of messages that compactions kept. It is limited, because each compaction of a small file may keep all
/// messages before it.
#[derive(Debug, Default)]
pub(super) struct Copies {
    number: usize,
    refused: u64,
}

impl Copies {
    /// Whether another compaction may keep this many messages of a recording with `own` messages so far.
    pub(super) fn accept(&mut self, kept: usize, own: usize) -> bool {
        let number = self.number.saturating_add(kept);
        let is_accepted = number <= own.saturating_mul(limit::MAX_COPIES);
        if is_accepted {
            self.number = number;
        } else {
            self.refused += 1;
        }
        is_accepted
    }

    /// The number of compactions whose kept messages are beyond the limit.
    pub(super) const fn refused(&self) -> u64 {
        self.refused
    }
}

/// The messages that a compaction can keep, for formats in which it names the record of the first one.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// The indexes of the messages.
    messages: Vec<usize>,
    /// The number of messages before each record, by its id, or `None` if several records have the id.
    records: HashMap<SmolStr, Option<usize>>,
    copies: Copies,
}

impl Tail {
    /// Begins a record.
    pub(super) fn begin(&mut self, id: Option<SmolStr>) {
        let Some(id) = id else { return };
        let start = self.messages.len();
        self.records.entry(id).and_modify(|known| *known = None).or_insert(Some(start));
    }

    /// Adds the message with this index, which belongs to the record begun last.
    pub(super) fn push(&mut self, index: usize) {
        self.messages.push(index);
    }

    /// The indexes of the messages since a record began. Empty if no record, or several ones, have the id.
    pub(super) fn since(&mut self, id: &str) -> Vec<usize> {
        let start = self.records.get(id).copied().flatten();
        let kept = start.and_then(|start| self.messages.get(start..)).unwrap_or_default();
        if self.copies.accept(kept.len(), self.messages.len()) { kept.to_vec() } else { Vec::new() }
    }

    /// The number of compactions whose kept messages are beyond the limit.
    pub(super) const fn refused(&self) -> u64 {
        self.copies.refused()
    }
}
