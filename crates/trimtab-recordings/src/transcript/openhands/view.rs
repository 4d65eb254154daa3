//! The events that the model sees, of which condensations remove some.

use foldhash::{HashSet, HashSetExt};
use smol_str::SmolStr;

use crate::transcript::compaction::Copies;

/// The events that the model sees, in order, without summaries: a new summary includes the one before it, whose id not all
/// versions record.
#[derive(Default)]
pub(super) struct View {
    events: Vec<ViewEvent>,
    /// The number of all events so far.
    added: usize,
    copies: Copies,
}

struct ViewEvent {
    /// Empty if unknown.
    id: SmolStr,
    /// The index of its message. System prompts, which always stay, and events that are not read have none.
    message: Option<usize>,
}

/// The indexes of the messages that a condensation kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) before_summary: Vec<usize>,
    pub(super) after_summary: Vec<usize>,
}

impl View {
    /// Adds an event. Several events may have the same message.
    pub(super) fn push(&mut self, id: SmolStr, message: Option<usize>) {
        self.events.push(ViewEvent { id, message });
        self.added += 1;
    }

    /// Removes forgotten events. Returns whether there were any.
    pub(super) fn forget(&mut self, forgotten: &HashSet<SmolStr>) -> bool {
        let before = self.events.len();
        self.events.retain(|event| event.id.is_empty() || !forgotten.contains(&event.id));
        self.events.len() < before
    }

    /// Removes the forgotten events of a condensation with a summary. Returns what stays before and after the summary, which
    /// has `offset` events before it: nothing without an offset, or if no forgotten event is known.
    pub(super) fn summarise(&mut self, forgotten: &HashSet<SmolStr>, offset: Option<u64>) -> Kept {
        let has_forgotten = self.forget(forgotten);
        let number = self.events.len();
        let offset = offset.filter(|_| has_forgotten && self.copies.accept(number, self.added));
        let Some(offset) = offset else {
            self.events.clear();
            return Kept::default();
        };
        let offset = usize::try_from(offset).map_or(number, |offset| offset.min(number));
        let mut known = HashSet::new();
        let mut messages = |events: &[ViewEvent]| -> Vec<usize> {
            events.iter().filter_map(|event| event.message).filter(|message| known.insert(*message)).collect()
        };
        let (before, after) = self.events.split_at(offset);
        Kept { before_summary: messages(before), after_summary: messages(after) }
    }

    /// The number of condensations whose kept messages are beyond the limit.
    pub(super) const fn refused(&self) -> u64 {
        self.copies.refused()
    }
}
