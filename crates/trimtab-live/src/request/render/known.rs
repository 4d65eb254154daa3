//! Edited elements that were rendered for an earlier request.

use std::collections::HashMap;
use std::sync::Arc;

use trimtab_base::conversation::Message;

use crate::request::json::Slot;

/// What was rendered for edited messages, by the index of their first element, so that the next request with the same edits
/// does not render them again.
#[derive(Clone, Debug, Default)]
pub(in crate::request) struct Renderings(HashMap<usize, Rendering>);

/// What was rendered for the messages of some elements.
#[derive(Clone, Debug)]
pub(super) struct Rendering {
    /// The messages as the client sends them. No other message is at the same address while they are kept here.
    history: Vec<Arc<Message>>,
    /// The messages as they are sent.
    sent: Vec<Option<Arc<Message>>>,
    pub(super) slots: Vec<Slot>,
}

impl Rendering {
    pub(super) fn new(history: &[Arc<Message>], sent: &[Option<&Arc<Message>>], slots: Vec<Slot>) -> Self {
        let sent = sent.iter().map(|message| message.map(Arc::clone)).collect();
        Self { history: history.to_vec(), sent, slots }
    }

    fn is_of(&self, history: &[Arc<Message>], sent: &[Option<&Arc<Message>>]) -> bool {
        self.history.len() == history.len()
            && self.history.iter().zip(history).all(|(old, new)| Arc::ptr_eq(old, new))
            && self.sent.iter().map(|old| old.as_ref().map(Arc::as_ptr)).eq(sent.iter().map(|new| new.map(Arc::as_ptr)))
    }
}

impl Renderings {
    /// What was rendered for these messages, if neither they nor their edits have changed.
    pub(super) fn take(
        &mut self,
        first_element: usize,
        history: &[Arc<Message>],
        sent: &[Option<&Arc<Message>>],
    ) -> Option<Rendering> {
        self.0.remove(&first_element).filter(|rendering| rendering.is_of(history, sent))
    }

    pub(super) fn insert(&mut self, first_element: usize, rendering: Rendering) {
        self.0.insert(first_element, rendering);
    }
}
