//! The tasks of a transcript: what the agent does for one request of a person. They are the runs of a replay.

use trimtab_base::conversation::{Message, Role};

/// Counts the tasks of a transcript, message by message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tasks {
    number: usize,
    /// Whether the newest reply calls no tools, so that the next message of a person begins a task.
    is_between: bool,
    has_replied: bool,
}

impl Default for Tasks {
    fn default() -> Self {
        Self { number: 0, is_between: true, has_replied: false }
    }
}

impl Tasks {
    /// Reads the next message.
    pub(super) fn follow(&mut self, message: &Message) {
        if message.is_reply() {
            self.is_between = message.calls().next().is_none();
            self.has_replied = true;
            return;
        }
        let begins = message.run.unwrap_or(message.is_person() && self.is_between);
        self.number += usize::from(begins && self.has_replied);
        self.is_between &= message.role != Role::Tool && !message.is_person();
    }

    /// The number of the current task, from 0.
    pub(super) const fn number(&self) -> usize {
        self.number
    }
}
