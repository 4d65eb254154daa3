//! What requests contain ahead of their messages: tool definitions and system prompt.

use trimtab_base::conversation::{HeadChange, Message};

use super::Key;
use crate::transcript::Tool;

/// The head of the newest request.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    tools: Vec<Tool>,
    /// The keys of its system messages.
    system: Vec<Key>,
    /// What has changed since the newest reply.
    changed: HeadChange,
}

impl Head {
    /// Records the next request. Tools and prompts that a request does not record have not changed.
    pub(super) fn advance(&mut self, tools: &[Tool], system: &[Key]) {
        let tools_changed = replace(&mut self.tools, tools);
        let prompt_changed = replace(&mut self.system, system);
        self.changed.join(HeadChange { tools: tools_changed, prompt: prompt_changed });
    }

    /// Marks the reply to the newest request with what has changed since the reply before it.
    pub(super) fn mark(&mut self, reply: &mut Message) {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_any() {
            reply.harness_edits.get_or_insert_default().changed.join(changed);
        }
    }
}

/// Replaces the known elements with those of a request that has some, and returns whether they differ.
fn replace<T: Clone + PartialEq>(known: &mut Vec<T>, new: &[T]) -> bool {
    if new.is_empty() || known == new {
        return false;
    }
    !std::mem::replace(known, new.to_vec()).is_empty()
}
