//! Marks: moments in the history of a conversation, with which later changes can be found.
//!
//! An effect that found nothing to do in old messages need not search them again until they change, so the cost of a
//! long session grows linearly.

use std::sync::Arc;

use super::Conversation;

/// The changes of one conversation. Adding a message at the end is not a change.
#[derive(Debug, Default)]
pub(super) struct Changes {
    identity: Arc<()>,
    /// The number of changes.
    count: usize,
    /// The number of each change and the first index that it affected, without changes that a later one made obsolete by
    /// affecting a lower index. So the indices increase.
    touched: Vec<(usize, usize)>,
    /// The same for changes that removed or inserted messages.
    moved: Vec<(usize, usize)>,
}

impl Changes {
    /// Records a change of the content of the message at an index.
    pub(super) fn note(&mut self, first: usize) {
        record(&mut self.touched, self.count, first);
        self.count += 1;
    }

    /// Records that messages were removed or inserted from an index on.
    pub(super) fn note_moved(&mut self, first: usize) {
        record(&mut self.moved, self.count, first);
        self.note(first);
    }
}

fn record(changes: &mut Vec<(usize, usize)>, number: usize, first: usize) {
    while changes.pop_if(|(_, other)| *other >= first).is_some() {}
    changes.push((number, first));
}

impl Clone for Changes {
    /// Marks of the original are not valid for a copy.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A moment in the history of one conversation.
#[derive(Clone, Debug)]
pub struct Mark {
    identity: Arc<()>,
    changes: usize,
}

impl Conversation {
    /// Marks the current moment.
    pub fn mark(&self) -> Mark {
        Mark { identity: Arc::clone(&self.changes.identity), changes: self.changes.count }
    }

    /// How many messages from the start have not changed since a mark; 0 for a mark of another conversation.
    pub fn unchanged_since(&self, mark: &Mark) -> usize {
        self.first_since(mark, &self.changes.touched)
    }

    /// How many messages from the start have not moved since a mark, whatever their content; 0 for a mark of another
    /// conversation.
    pub fn unmoved_since(&self, mark: &Mark) -> usize {
        self.first_since(mark, &self.changes.moved)
    }

    fn first_since(&self, mark: &Mark, changes: &[(usize, usize)]) -> usize {
        if !Arc::ptr_eq(&self.changes.identity, &mark.identity) {
            return 0;
        }
        let since = changes.partition_point(|(number, _)| *number < mark.changes);
        changes.get(since).map_or(usize::MAX, |(_, first)| *first).min(self.entries.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Body, Bytes, Edit, Level, Message, MessageId, PartId, Role};

    fn conversation() -> Conversation {
        let mut conversation = Conversation::default();
        for number in 0..6 {
            let text = format!("{number} {}", "long ".repeat(20));
            conversation.push(Message::text(Role::User, text), &Bytes);
        }
        conversation
    }

    fn cut(conversation: &mut Conversation, message: u32) {
        let body = Some(Body::Text("x".into()));
        let edit =
            Edit::Reduce { message: MessageId(message), part: PartId(0), body, level: Level::Masked, errors: false };
        assert_eq!(conversation.apply(vec![edit], &Bytes).len(), 1);
    }

    #[test]
    fn messages_before_the_first_change_are_unchanged() {
        let mut conversation = conversation();
        cut(&mut conversation, 0);
        let mark = conversation.mark();
        assert_eq!(conversation.unchanged_since(&mark), 6);
        conversation.push(Message::text(Role::User, "y"), &Bytes);
        assert_eq!(conversation.unchanged_since(&mark), 7);
        cut(&mut conversation, 4);
        cut(&mut conversation, 2);
        assert_eq!((conversation.unchanged_since(&mark), conversation.unmoved_since(&mark)), (2, 7));
        assert_eq!(conversation.unchanged_since(&conversation.mark()), 7);
        conversation.reset();
        assert_eq!((conversation.unchanged_since(&mark), conversation.unmoved_since(&mark)), (0, 0));
    }

    #[test]
    fn marks_are_not_valid_for_a_copy() {
        let conversation = conversation();
        let mark = conversation.mark();
        assert_eq!(conversation.clone().unchanged_since(&mark), 0);
    }
}
