//! Marks: moments in the history of a conversation, from which later changes can be found.
//!
//! An effect that found nothing to do in old messages need not search them again until they change, so the cost of a
//! long session grows linearly.

use std::sync::Arc;

use foldhash::HashMap;

use super::Conversation;
use super::edit::{MessageId, PartId};
use super::message::Body;

/// The id of a change of one conversation: the number of changes before it.
#[derive(Clone, Copy, Debug)]
struct ChangeId(usize);

impl ChangeId {
    /// Whether the change came after the first `count` changes.
    const fn is_after(self, count: usize) -> bool {
        self.0 >= count
    }
}

/// The id of a change and the lowest index of a message that it affected.
type AffectedFrom = (ChangeId, usize);

/// The changes of one conversation. Adding a message at the end is not a change.
#[derive(Debug, Default)]
pub(super) struct Changes {
    identity: Arc<()>,
    /// The number of changes so far.
    count: usize,
    /// All changes, also those that only made a message editable again. A change is left out if a later one affected
    /// the same or a lower index, so the indices increase.
    all: Vec<AffectedFrom>,
    /// All changes of content, in order; changes that only made a message editable again are not included.
    content: Vec<ContentChange>,
    /// The changes that removed or inserted messages. Superfluous ones are left out as in `all`.
    moves: Vec<AffectedFrom>,
    /// The parts that have been restored.
    restored: HashMap<PartKey, RestoredPart>,
}

type PartKey = (MessageId, PartId);

/// A part that has been restored.
#[derive(Clone, Debug)]
struct RestoredPart {
    /// The last change that restored it.
    restoration: ChangeId,
    /// The content before that change.
    content_before: Body,
    /// The indices in `content` of that change and of the later changes of this part.
    changes: Vec<usize>,
}

/// A change of the content.
#[derive(Clone, Copy, Debug)]
struct ContentChange {
    id: ChangeId,
    /// The lowest index of a message that it affected.
    first: usize,
    /// Set if a later change undid this one: the part again has the content that it had before the change with this id.
    undone_to: Option<ChangeId>,
}

impl Changes {
    /// Records that a part of the message at an index was reduced to this content. If the part had the same content
    /// before it was restored, this undoes the restoration and the changes after it.
    pub(super) fn record_reduction(&mut self, index: usize, part: PartKey, content: Option<&Body>) {
        self.record_edit(index);
        let Some(restored) = self.restored.get_mut(&part) else { return };
        restored.changes.push(self.content.len() - 1);
        if content == Some(&restored.content_before) {
            for change in &restored.changes {
                self.content[*change].undone_to = Some(restored.restoration);
            }
        }
    }

    /// Records that a part of the message at an index was restored. `content_before` is its content before the
    /// restoration.
    pub(super) fn record_restoration(&mut self, index: usize, part: PartKey, content_before: Body) {
        let restoration = ChangeId(self.count);
        let restored = RestoredPart { restoration, content_before, changes: vec![self.content.len()] };
        self.restored.insert(part, restored);
        self.record_edit(index);
    }

    /// Records a change of content that affects messages from an index on.
    pub(super) fn record_edit(&mut self, first: usize) {
        self.content.push(ContentChange { id: ChangeId(self.count), first, undone_to: None });
        self.search_again(first);
    }

    /// Marks the message at an index to be searched again. Its content may be unchanged.
    pub(super) fn search_again(&mut self, index: usize) {
        push_affected(&mut self.all, ChangeId(self.count), index);
        self.count += 1;
    }

    /// Records that messages were removed or inserted from an index on.
    pub(super) fn record_move(&mut self, first: usize) {
        push_affected(&mut self.moves, ChangeId(self.count), first);
        self.record_edit(first);
    }

    /// The lowest index whose content changed after the first `count` changes, unless the change was undone.
    fn first_content_changed_since(&self, count: usize) -> Option<usize> {
        let start = self.content.partition_point(|change| !change.id.is_after(count));
        let is_undone = |change: &&ContentChange| change.undone_to.is_some_and(|undone_to| undone_to.is_after(count));
        self.content[start..].iter().filter(|change| !is_undone(change)).map(|change| change.first).min()
    }
}

/// Adds a change, and removes the earlier ones that it makes superfluous because it affects the same or a lower index.
fn push_affected(changes: &mut Vec<AffectedFrom>, id: ChangeId, first: usize) {
    while changes.pop_if(|(_, other)| *other >= first).is_some() {}
    changes.push((id, first));
}

impl Clone for Changes {
    /// Marks of the original are not valid for a copy.
    fn clone(&self) -> Self {
        let Self { identity: _, count, all, content, moves, restored } = self;
        let [all, moves] = [all, moves].map(Clone::clone);
        Self {
            identity: Arc::default(),
            count: *count,
            all,
            content: content.clone(),
            moves,
            restored: restored.clone(),
        }
    }
}

/// A moment in the history of one conversation.
#[derive(Clone, Debug)]
pub struct Mark {
    identity: Arc<()>,
    /// The number of changes before it.
    count: usize,
}

impl Conversation {
    /// Marks the current moment.
    pub fn mark(&self) -> Mark {
        Mark { identity: Arc::clone(&self.changes.identity), count: self.changes.count }
    }

    /// The length of the prefix of messages that are unchanged since a mark and in which nothing has become editable; 0
    /// for a mark of another conversation.
    pub fn unchanged_since(&self, mark: &Mark) -> usize {
        self.prefix_since_mark(mark, &self.changes.all)
    }

    /// The number of changes so far. A clone has the same number.
    pub const fn changes_made(&self) -> usize {
        self.changes.count
    }

    /// Returns the lowest index whose content has changed after the first `count` changes, or `None` if no content has
    /// changed or all changes were undone. If only messages at the end were removed, this is the new length.
    pub fn first_changed_since(&self, count: usize) -> Option<usize> {
        self.changes.first_content_changed_since(count).map(|first| first.min(self.entries.len()))
    }

    /// The length of the prefix of messages that have the same content as after the first `count` changes.
    pub fn unchanged_since_change(&self, count: usize) -> usize {
        self.first_changed_since(count).unwrap_or(self.entries.len())
    }

    /// The length of the prefix of messages that have not moved since a mark, whatever their content; 0 for a mark of
    /// another conversation.
    pub fn unmoved_since(&self, mark: &Mark) -> usize {
        self.prefix_since_mark(mark, &self.changes.moves)
    }

    /// The length of the prefix of messages that have not moved after the first `count` changes, whatever their
    /// content.
    pub fn unmoved_since_change(&self, count: usize) -> usize {
        self.prefix_since_change(count, &self.changes.moves)
    }

    /// The length of the prefix that none of these changes affected after a mark; 0 for a mark of another conversation.
    fn prefix_since_mark(&self, mark: &Mark, changes: &[AffectedFrom]) -> usize {
        let is_own = Arc::ptr_eq(&self.changes.identity, &mark.identity);
        if is_own { self.prefix_since_change(mark.count, changes) } else { 0 }
    }

    /// The length of the prefix that none of these changes affected, apart from the first `count` changes of the
    /// conversation.
    fn prefix_since_change(&self, count: usize, changes: &[AffectedFrom]) -> usize {
        let since = changes.partition_point(|(id, _)| !id.is_after(count));
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
