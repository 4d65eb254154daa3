//! The tool results of the recorded context, to find those that the recorded harness clears.

use foldhash::HashMap;
use smol_str::SmolStr;
use trimtab_base::conversation::{Message, MessageId, Role};

/// The messages with tool results that have arrived since the last reset, by the ids of their calls. A result that a stopped run
/// kept out of the conversation has no message there.
#[derive(Clone, Debug, Default)]
pub(super) struct ArrivedResults {
    /// Those that are not in `by_call` yet: few harnesses clear results.
    new: Vec<(SmolStr, Option<MessageId>)>,
    /// The newest last.
    by_call: HashMap<SmolStr, Vec<Option<MessageId>>>,
}

impl ArrivedResults {
    pub(super) fn add(&mut self, message: &Message, added: Option<MessageId>) {
        if let Some(result) = message.results().next().filter(|_| message.role == Role::Tool) {
            self.new.push((result.id.clone(), added));
        }
    }

    /// Removes the newest result of a call, and returns its message in the conversation.
    pub(super) fn take_newest(&mut self, call: &str) -> Option<MessageId> {
        for (call, message) in self.new.drain(..) {
            self.by_call.entry(call).or_default().push(message);
        }
        self.by_call.get_mut(call)?.pop()?
    }

    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}
