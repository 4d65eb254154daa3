//! What applied edits changed, for a caller that follows the content of a conversation.

use super::Conversation;
use super::edit::{Change, Edit, MessageId, Receipt};
use super::message::Body;

/// An applied edit, with the content after it.
#[derive(Clone, Debug)]
pub struct AppliedEdit {
    /// The receipt.
    pub receipt: Receipt,
    /// The messages that it removed or replaced with a summary.
    pub removed: Vec<MessageId>,
    /// The new content of the changed part, or `None` if the part or whole messages were removed.
    pub content: Option<Body>,
}

impl Conversation {
    /// Makes the conversation keep its edits from now on, for [`Conversation::take_edits`].
    #[must_use]
    pub fn keeping_edits(mut self) -> Self {
        self.edit_log = Some(Vec::new());
        self
    }

    /// The edits since the last call; empty unless the conversation keeps them.
    pub fn take_edits(&mut self) -> Vec<AppliedEdit> {
        self.edit_log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The messages that an edit would remove, if edits are kept.
    pub(super) fn removed_by(&self, edit: &Edit) -> Vec<MessageId> {
        match edit {
            Edit::Summarise { messages, .. } | Edit::Remove { messages } if self.edit_log.is_some() => messages.clone(),
            _ => Vec::new(),
        }
    }

    /// Keeps an applied edit, if edits are kept.
    pub(super) fn log(&mut self, receipt: Receipt, removed: Vec<MessageId>) {
        if self.edit_log.is_none() {
            return;
        }
        let content = match receipt.change {
            Change::Reduced(part) => self.index(receipt.message).and_then(|at| {
                let entry = &self.entries[at];
                Some(entry.message.parts[entry.position(part)?].body.clone())
            }),
            Change::Restored(_) | Change::Summarised(_) | Change::Removed(_) | Change::Appended => None,
        };
        self.edit_log.get_or_insert_default().push(AppliedEdit { receipt, removed, content });
    }
}
