//! Marks: moments in a conversation's life, to know later what has stayed as it was.
//!
//! An effect that found nothing in old messages need not look at them again while they are unchanged; that is what
//! keeps a long session linear.

use std::sync::Arc;

use super::Conversation;

/// The changes of one conversation in its course; messages that are added behind the others are none.
#[derive(Debug, Default)]
pub(super) struct Changes {
    identity: Arc<()>,
    /// How many there were.
    count: usize,
    /// The number of a change and the first index that it touched; none of those that a later change went further back
    /// than, so that the indices grow.
    touched: Vec<(usize, usize)>,
}

impl Changes {
    /// Notes a change of the message at an index, or of everything from it on.
    pub(super) fn note(&mut self, first: usize) {
        while self.touched.pop_if(|(_, other)| *other >= first).is_some() {}
        self.touched.push((self.count, first));
        self.count += 1;
    }
}

impl Clone for Changes {
    /// A copy goes its own way: it has no marks.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A moment in the life of one conversation.
#[derive(Clone, Debug)]
pub struct Mark {
    identity: Arc<()>,
    changes: usize,
}

impl Conversation {
    /// Marks the present moment.
    pub fn mark(&self) -> Mark {
        Mark { identity: Arc::clone(&self.changes.identity), changes: self.changes.count }
    }

    /// How many of the first messages are as they were at a mark; none when it marks another conversation.
    pub fn unchanged_since(&self, mark: &Mark) -> usize {
        if !Arc::ptr_eq(&self.changes.identity, &mark.identity) {
            return 0;
        }
        let touched = &self.changes.touched;
        let since = touched.partition_point(|(number, _)| *number < mark.changes);
        touched.get(since).map_or(usize::MAX, |(_, first)| *first).min(self.entries.len())
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
    fn what_lies_before_the_first_change_is_unchanged() {
        let mut conversation = conversation();
        cut(&mut conversation, 0);
        let mark = conversation.mark();
        assert_eq!(conversation.unchanged_since(&mark), 6);
        conversation.push(Message::text(Role::User, "y"), &Bytes);
        assert_eq!(conversation.unchanged_since(&mark), 7);
        cut(&mut conversation, 4);
        cut(&mut conversation, 2);
        assert_eq!(conversation.unchanged_since(&mark), 2);
        assert_eq!(conversation.unchanged_since(&conversation.mark()), 7);
        conversation.reset();
        assert_eq!(conversation.unchanged_since(&mark), 0);
    }

    #[test]
    fn a_copy_knows_no_marks() {
        let conversation = conversation();
        let mark = conversation.mark();
        assert_eq!(conversation.clone().unchanged_since(&mark), 0);
    }
}
