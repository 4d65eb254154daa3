//! The messages that a client has sent.

use std::sync::Arc;

use trimtab_base::conversation::{Message, MessageId};

use super::Branch;
use crate::run::session::same_message::is_same;

/// A message of the history.
#[derive(Clone, Debug)]
pub(in super::super) struct HistoryMessage {
    pub(super) message: Arc<Message>,
    /// The same message as the client has sent it last. Its next request mostly shares it, so that the texts need not be compared.
    sent: Arc<Message>,
    /// The index of its record, or `None` while it waits.
    pub(super) record: Option<usize>,
    /// Its identity in the conversation, or `None` before it is added or if it was ignored after a stop.
    pub(super) id: Option<MessageId>,
}

impl HistoryMessage {
    pub(super) fn new(message: Arc<Message>) -> Self {
        Self { sent: Arc::clone(&message), message, record: None, id: None }
    }

    /// Whether the client means this message.
    pub(in super::super) fn is(&self, sent: &Arc<Message>) -> bool {
        Arc::ptr_eq(&self.sent, sent) || is_same(&self.message, sent)
    }
}

impl Branch {
    /// Records that the client has sent these messages of its history again.
    pub(in super::super) fn sent_again(&mut self, history: &[Arc<Message>]) {
        let (kept, rest) = self.history.split_at_mut(self.compacted.start);
        let rest = &mut rest[self.compacted.end - self.compacted.start..];
        for (known, sent) in kept.iter_mut().chain(rest).zip(history) {
            // A changed system prompt is another message.
            if !Arc::ptr_eq(&known.sent, sent) && known.is(sent) {
                known.sent = Arc::clone(sent);
            }
        }
    }
}
