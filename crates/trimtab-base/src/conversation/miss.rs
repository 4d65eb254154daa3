//! Compaction misses: calls that are made again after a rule has reduced their result.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;

use super::arguments::Arguments;
use super::call_kinds::CallKinds;
use super::edit::{MessageId, PartId};
use super::message::{Body, Message, Part, ToolResult};
use super::open_calls::OpenCalls;
use super::{Conversation, Entry, GroupId};

/// A call that is identical to an earlier one whose newest result a rule has reduced or removed.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss {
    /// The tool.
    pub tool: SmolStr,
    /// The arguments.
    pub arguments: Arguments,
    /// The message with the earlier result.
    pub message: MessageId,
    /// Which part of the message is the result.
    pub part: PartId,
    /// The length of the result as it arrived, in characters.
    pub original_chars: usize,
    /// Its length when the call was made again, in characters, or `None` if it had been removed.
    pub reduced_chars: Option<usize>,
}

/// The newest result of each call of a session, by tool and arguments. It finds misses in constant time per call, and
/// remembers the calls whose messages edits have removed.
#[derive(Clone, Debug, Default)]
pub struct ResultIndex {
    kinds: CallKinds,
    /// The newest result of the calls of each kind.
    newest: Vec<Option<IndexedResult>>,
    /// The reply that was last searched for misses, and the kinds of its calls.
    searched: Option<(Arc<Message>, Vec<usize>)>,
    /// The kind of which each message has the newest result.
    kind_of: HashMap<MessageId, usize>,
    /// The kinds of the calls that have no result yet.
    open: OpenCalls<usize>,
    /// The number of removed messages of the conversation that the index has followed.
    known_removed: usize,
    /// The messages that edits have removed.
    removed: HashSet<MessageId>,
}

#[derive(Clone, Debug)]
struct IndexedResult {
    message: MessageId,
    part: PartId,
    arrived: Arc<Message>,
}

impl IndexedResult {
    /// Its length as it arrived, in characters.
    fn chars(&self) -> usize {
        let part = usize::try_from(self.part.0).ok().and_then(|at| self.arrived.parts.get(at));
        part.map_or(0, |part| part.body.chars())
    }
}

impl ResultIndex {
    /// Adds a message that has just arrived in the conversation.
    pub fn add(&mut self, message: MessageId, conversation: &Conversation) {
        self.follow(conversation);
        if let Some(at) = conversation.index(message) {
            self.add_entry(&conversation.entries[at]);
        }
    }

    fn add_entry(&mut self, entry: &Entry) {
        let arrived = entry.shared_recorded();
        if arrived.calls().next().is_some() {
            let searched = self.searched.take().filter(|(reply, _)| Arc::ptr_eq(reply, arrived));
            let kinds = searched.map_or_else(|| self.kinds_of(arrived), |(_, kinds)| kinds);
            self.newest.resize(self.kinds.count(), None);
            self.open.add(entry.group(), arrived.calls().map(|(id, ..)| id.clone()).zip(kinds));
        }
        let is_result = |(_, part): &(PartId, &Part)| matches!(part.body, Body::ToolResult(_));
        let Some((part, Part { body: Body::ToolResult(result), .. })) = entry.parts().find(is_result) else { return };
        if let Some(kind) = self.answered(entry.group(), &result.id) {
            let result = IndexedResult { message: entry.id(), part, arrived: Arc::clone(arrived) };
            if let Some(older) = self.newest[kind].replace(result) {
                self.kind_of.remove(&older.message);
            }
            self.kind_of.insert(entry.id(), kind);
        }
    }

    /// The kinds of the calls of a message.
    fn kinds_of(&mut self, message: &Message) -> Vec<usize> {
        message.calls().map(|(_, tool, arguments)| self.kinds.number(tool, arguments)).collect()
    }

    /// The kind of the call that a result with this id answers. As in a conversation, a result without an id answers the
    /// first open call.
    fn answered(&mut self, group: GroupId, id: &SmolStr) -> Option<usize> {
        if id.is_empty() { self.open.take_first(group) } else { self.open.take_of(group, id) }
    }

    /// The misses among the calls of a reply, in their order. The conversation is the one that the model has read.
    pub fn misses(&mut self, reply: &Arc<Message>, conversation: &Conversation) -> Vec<Miss> {
        self.follow(conversation);
        let kinds = self.kinds_of(reply);
        let miss = |((_, tool, arguments), kind): ((&SmolStr, &SmolStr, &Arguments), &usize)| {
            let result = self.newest.get(*kind)?.as_ref()?;
            let (message, part) = (result.message, result.part);
            let is_removed = self.removed.contains(&message);
            let reduced_chars = if is_removed { None } else { Some(conversation.reduced_chars(message, part)?) };
            let (tool, arguments) = (tool.clone(), arguments.clone());
            Some(Miss { tool, arguments, message, part, original_chars: result.chars(), reduced_chars })
        };
        let misses = reply.calls().zip(&kinds).filter_map(miss).collect();
        self.searched = Some((Arc::clone(reply), kinds));
        misses
    }

    /// Records the messages that have been removed since the last call.
    fn follow(&mut self, conversation: &Conversation) {
        let removed = conversation.removed_since(self.known_removed);
        self.known_removed += removed.len();
        self.removed.extend(removed.iter().copied());
    }

    /// Forgets the results that are not in the conversation, because the recorded harness has removed messages: what it
    /// removed is not a reduction by a rule.
    pub fn forget_missing(&mut self, conversation: &Conversation) {
        self.follow(conversation);
        for message in self.removed.drain() {
            if let Some(kind) = self.kind_of.remove(&message) {
                self.newest[kind] = None;
            }
        }
    }
}

impl Conversation {
    /// Returns the earlier result of a missed call as it is now, or `None` if it has been removed.
    pub fn missed_result(&self, miss: &Miss) -> Option<&ToolResult> {
        miss.reduced_chars?;
        self.entries[self.index(miss.message)?].message.results().next()
    }

    /// Returns whether the earlier result of a missed call is still reduced, or `None` if it has been removed.
    pub fn is_missed_result_reduced(&self, miss: &Miss) -> Option<bool> {
        self.missed_result(miss).map(|_| self.reduced_chars(miss.message, miss.part).is_some())
    }

    /// Returns the characters of a part that a rule has reduced, or `None` for other parts, also those that the
    /// recorded harness has cleared.
    fn reduced_chars(&self, message: MessageId, part: PartId) -> Option<usize> {
        let entry = &self.entries[self.index(message)?];
        let now = &entry.message.parts[entry.position(part)?].body;
        let is_reduced = entry.recorded_part(part).is_some_and(|recorded| recorded.body != *now);
        (is_reduced && !self.clearing.has_cleared(message)).then(|| now.chars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Bytes, Edit, Level, Origin, Role};

    /// A conversation and its index.
    #[derive(Default)]
    struct Kept {
        conversation: Conversation,
        index: ResultIndex,
    }

    fn call(id: &str, path: &str) -> Part {
        Part::call(id, "read", Arguments::from(serde_json::json!({ "path": path })))
    }

    impl Kept {
        fn push(&mut self, message: impl Into<Arc<Message>>) -> MessageId {
            let (id, _) = self.conversation.push(message, &Bytes);
            self.index.add(id, &self.conversation);
            id
        }

        fn reply(&mut self, calls: &[(&str, &str)]) -> Vec<Miss> {
            let calls = calls.iter().map(|(id, path)| call(id, path)).collect();
            let message = Arc::new(Message::new(Role::Assistant, calls));
            let misses = self.index.misses(&message, &self.conversation);
            self.push(message);
            misses
        }

        fn result(&mut self, id: &str, text: &str) -> MessageId {
            self.push(Message::new(Role::Tool, vec![Part::result(id, text, false)]))
        }

        fn mask(&mut self, message: MessageId) {
            let at = self.conversation.index(message).expect("the message is in the conversation");
            let result = self.conversation.entries()[at].message().results().next().expect("a result");
            let body = Some(Part::result(result.id.clone(), "short", false).body);
            let edit = Edit::Reduce { message, part: PartId(0), body, level: Level::Masked, errors: false };
            assert_eq!(self.conversation.apply(vec![edit], &Bytes).len(), 1);
        }
    }

    fn sizes(misses: &[Miss]) -> Vec<(MessageId, usize, Option<usize>)> {
        misses.iter().map(|miss| (miss.message, miss.original_chars, miss.reduced_chars)).collect()
    }

    #[test]
    fn only_the_newest_result_of_a_call_decides() {
        let mut kept = Kept::default();
        assert!(kept.reply(&[("a", "x")]).is_empty());
        let first = kept.result("a", "a long result");
        assert!(kept.reply(&[("a", "x"), ("a", "x")]).is_empty(), "the result is whole");
        kept.mask(first);
        assert!(kept.reply(&[("b", "y")]).is_empty());
        assert_eq!(sizes(&kept.reply(&[("a", "x"), ("b", "x")])), [(first, 13, Some(5)), (first, 13, Some(5))]);
        let second = kept.result("b", "the result again");
        assert!(kept.reply(&[("a", "x")]).is_empty(), "a newer result is whole");
        kept.mask(second);
        assert_eq!(sizes(&kept.reply(&[("a", "x")])), [(second, 16, Some(5))]);
    }

    #[test]
    fn a_call_is_remembered_when_its_messages_are_removed() {
        let mut kept = Kept::default();
        kept.push(Message::text(Role::User, "go"));
        kept.reply(&[("a", "x"), ("b", "y")]);
        let first = kept.result("a", "a long result");
        kept.result("b", "another long result");
        let last = kept.push(Message::text(Role::User, "and now"));
        let messages = kept.conversation.entries().iter().map(Entry::id).filter(|id| *id != last).collect();
        let summary = Message { origin: Origin::Summary, ..Message::text(Role::User, "s") };
        let edit = Edit::Summarise { messages, summary: Box::new(summary) };
        assert_eq!(kept.conversation.apply(vec![edit], &Bytes).len(), 1);
        assert_eq!(sizes(&kept.reply(&[("c", "x")])), [(first, 13, None)]);
        kept.conversation.reset();
        kept.index.forget_missing(&kept.conversation);
        assert!(kept.reply(&[("d", "x"), ("e", "y")]).is_empty(), "the harness removed the rest");
    }

    #[test]
    fn results_without_ids_answer_calls_in_order() {
        let mut kept = Kept::default();
        kept.reply(&[("", "x"), ("", "y")]);
        kept.result("", "the first result");
        let second = kept.result("", "the second result");
        kept.mask(second);
        assert!(kept.reply(&[("", "x")]).is_empty());
        assert_eq!(sizes(&kept.reply(&[("", "y")])), [(second, 17, Some(5))]);
    }
}
