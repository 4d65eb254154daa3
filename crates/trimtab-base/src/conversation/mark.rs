//! Marks: moments in the history of a conversation, with which later changes can be found.
//!
//! An effect that found nothing to do in old messages need not search them again until they change, so the cost of a
//! long session grows linearly.

use std::sync::Arc;

use foldhash::HashMap;

use super::Conversation;
use super::edit::{MessageId, PartId};
use super::message::Body;

/// The changes of one conversation. Adding a message at the end is not a change.
#[derive(Debug, Default)]
pub(super) struct Changes {
    identity: Arc<()>,
    /// The number of changes.
    count: usize,
    /// The number of each change and the first index that it affected, without changes that a later one made obsolete by
    /// affecting a lower index. So the indices increase.
    touched: Vec<(usize, usize)>,
    /// All changes of the content, and not of what may be edited, in order.
    edited: Vec<ContentChange>,
    /// The same for changes that removed or inserted messages.
    moved: Vec<(usize, usize)>,
    /// The parts that have been restored.
    restored: HashMap<PartKey, RestoredPart>,
}

type PartKey = (MessageId, PartId);

/// A part that has been restored.
#[derive(Clone, Debug)]
struct RestoredPart {
    /// The number of the last change that restored it.
    since: usize,
    /// The content before that change.
    before: Body,
    /// That change and the later ones of this part, as indices in `edited`.
    changes: Vec<usize>,
}

/// A change of the content.
#[derive(Clone, Copy, Debug)]
struct ContentChange {
    number: usize,
    /// The first index that it affected.
    first: usize,
    /// The number of a change of the same part before which, and after the last of a series with this one, it has the same
    /// content.
    undone_since: Option<usize>,
}

impl Changes {
    /// Records that a part of the message at an index was reduced to this content. If it had the same content before it was
    /// restored, nothing has changed since then.
    pub(super) fn note_reduced(&mut self, first: usize, part: PartKey, content: Option<&Body>) {
        self.note(first);
        let Some(restored) = self.restored.get_mut(&part) else { return };
        restored.changes.push(self.edited.len() - 1);
        if content == Some(&restored.before) {
            for change in &restored.changes {
                self.edited[*change].undone_since = Some(restored.since);
            }
        }
    }

    /// Records that a part of the message at an index was restored, which had this content before.
    pub(super) fn note_restored(&mut self, first: usize, part: PartKey, before: Body) {
        let restored = RestoredPart { since: self.count, before, changes: vec![self.edited.len()] };
        self.restored.insert(part, restored);
        self.note(first);
    }

    /// Records a change of the content of the message at an index.
    pub(super) fn note(&mut self, first: usize) {
        self.edited.push(ContentChange { number: self.count, first, undone_since: None });
        self.touch(first);
    }

    /// The least index that changes of the content since the first `count` changes have affected.
    fn first_edited_since(&self, count: usize) -> Option<usize> {
        let start = self.edited.partition_point(|change| change.number < count);
        let is_undone = |change: &&ContentChange| change.undone_since.is_some_and(|since| since >= count);
        self.edited[start..].iter().filter(|change| !is_undone(change)).map(|change| change.first).min()
    }

    /// Records that searches must examine the message at an index again, whose content is the same.
    pub(super) fn touch(&mut self, first: usize) {
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
        let Self { identity: _, count, touched, edited, moved, restored } = self;
        let [touched, moved] = [touched, moved].map(Clone::clone);
        Self {
            identity: Arc::default(),
            count: *count,
            touched,
            edited: edited.clone(),
            moved,
            restored: restored.clone(),
        }
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

    /// How many messages from the start have not changed since a mark, and cannot be edited where they could not; 0 for a mark
    /// of another conversation.
    pub fn unchanged_since(&self, mark: &Mark) -> usize {
        self.unless_foreign(mark, &self.changes.touched)
    }

    /// How many changes there were. A copy has as many.
    pub const fn changes_made(&self) -> usize {
        self.changes.count
    }

    /// Returns the least index at which the content has changed since there were `count` changes, or `None` if it has
    /// not, or is again what it was. With the last messages removed, it is the number of messages that are left.
    pub fn first_changed_since(&self, count: usize) -> Option<usize> {
        self.changes.first_edited_since(count).map(|first| first.min(self.entries.len()))
    }

    /// How many messages from the start have the same content as when there were `count` changes.
    pub fn unchanged_since_change(&self, count: usize) -> usize {
        self.first_changed_since(count).unwrap_or(self.entries.len())
    }

    /// How many messages from the start have not moved since a mark, whatever their content; 0 for a mark of another
    /// conversation.
    pub fn unmoved_since(&self, mark: &Mark) -> usize {
        self.unless_foreign(mark, &self.changes.moved)
    }

    fn unless_foreign(&self, mark: &Mark, changes: &[(usize, usize)]) -> usize {
        let is_own = Arc::ptr_eq(&self.changes.identity, &mark.identity);
        if is_own { self.first_since(mark.changes, changes) } else { 0 }
    }

    /// How many messages from the start have not moved since there were `count` changes, whatever their content.
    pub fn unmoved_since_change(&self, count: usize) -> usize {
        self.first_since(count, &self.changes.moved)
    }

    fn first_since(&self, count: usize, changes: &[(usize, usize)]) -> usize {
        let since = changes.partition_point(|(number, _)| *number < count);
        changes.get(since).map_or(usize::MAX, |(_, first)| *first).min(self.entries.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Arguments, Body, Bytes, Edit, Level, Message, MessageId, Part, PartId, Role};

    fn conversation() -> Conversation {
        let mut conversation = Conversation::default();
        for number in 0..6 {
            let text = format!("{number} {}", "long ".repeat(20));
            conversation.push(Message::text(Role::User, text), &Bytes);
        }
        conversation
    }

    fn conversation_with_result() -> Conversation {
        let mut conversation = Conversation::default();
        conversation.push(Message::text(Role::User, "a question"), &Bytes);
        let call = Part::call("a", "ls", Arguments::Text("{}".into()));
        conversation.push(Message::new(Role::Assistant, vec![call]), &Bytes);
        conversation.push(Message::new(Role::Tool, vec![Part::result("a", "long ".repeat(20), false)]), &Bytes);
        conversation.push(Message::text(Role::User, "long ".repeat(20)), &Bytes);
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
    fn a_part_that_is_restored_and_reduced_again_has_not_changed() {
        let mut conversation = conversation_with_result();
        let reduce = |conversation: &mut Conversation, text: &str| {
            let result = conversation.entries()[2].message().parts[0].body.with_text(text);
            let (message, part) = (MessageId(2), PartId(0));
            let edit = Edit::Reduce { message, part, body: Some(result), level: Level::Masked, errors: false };
            assert_eq!(conversation.apply(vec![edit], &Bytes).len(), 1);
        };
        let restore = |conversation: &mut Conversation| {
            let edit = Edit::Restore { message: MessageId(2), part: PartId(0) };
            assert_eq!(conversation.apply(vec![edit], &Bytes).len(), 1);
            conversation.changes_made()
        };
        reduce(&mut conversation, "x");
        let reduced = conversation.changes_made();
        let restored = restore(&mut conversation);
        assert_eq!(conversation.first_changed_since(reduced), Some(2));
        reduce(&mut conversation, "x");
        assert_eq!(conversation.first_changed_since(reduced), None);
        // A request with the whole result has been sent between both.
        assert_eq!(conversation.first_changed_since(restored), Some(2));
        restore(&mut conversation);
        cut(&mut conversation, 3);
        reduce(&mut conversation, "x");
        assert_eq!(conversation.first_changed_since(reduced), Some(3));
        restore(&mut conversation);
        reduce(&mut conversation, "y");
        assert_eq!(conversation.first_changed_since(reduced), Some(2));
    }

    #[test]
    fn marks_are_not_valid_for_a_copy() {
        let mut conversation = conversation();
        cut(&mut conversation, 3);
        let mark = conversation.mark();
        let mut copy = conversation.clone();
        assert_eq!((copy.unchanged_since(&mark), copy.changes_made()), (0, conversation.changes_made()));
        cut(&mut copy, 4);
        assert_eq!((copy.unchanged_since_change(0), copy.unchanged_since_change(1)), (3, 4));
    }
}
