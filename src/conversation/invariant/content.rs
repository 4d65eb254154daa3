//! What content edits have made of the messages that they name, part by part.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Invariant, Violation};
use crate::conversation::edit::{Edit, MessageId, PartId};
use crate::conversation::message::{Body, Level, Message, Part, Role};
use crate::conversation::{Conversation, Entry};

/// What an edit says that becomes of a part.
struct Stated {
    part: PartId,
    body: Option<Body>,
    level: Level,
    errors: bool,
}

/// A message that content edits name, as it was before them.
pub(super) struct Touched {
    message: MessageId,
    parts: Vec<PartId>,
    old: Arc<Message>,
    /// Whether it belongs to the open tool loop.
    live: bool,
    stated: Vec<Stated>,
}

/// The messages that content edits name.
pub(super) fn touched(conversation: &Conversation, edits: &[Edit]) -> Vec<Touched> {
    let mut found: BTreeMap<MessageId, Touched> = BTreeMap::new();
    for edit in edits {
        let Edit::Reduce { message, part, body, level, errors } = edit else { continue };
        let Some(at) = conversation.index(*message) else { continue };
        let entry = &conversation.entries[at];
        let touched = found.entry(*message).or_insert_with(|| Touched {
            message: *message,
            parts: entry.parts().map(|(part, _)| part).collect(),
            old: Arc::clone(&entry.message),
            live: at >= conversation.loop_start(),
            stated: Vec::new(),
        });
        touched.stated.push(Stated { part: *part, body: body.clone(), level: *level, errors: *errors });
    }
    found.into_values().collect()
}

impl Touched {
    /// What the edits have broken here; nothing when a summary has replaced the message since.
    pub(super) fn broken(&self, conversation: &Conversation) -> Vec<Violation> {
        let Some(at) = conversation.index(self.message) else { return Vec::new() };
        let entry = &conversation.entries[at];
        // A summary among the edits may close the loop for what stands before it.
        let live = self.live && at >= conversation.loop_start();
        let mut broken = Vec::new();
        let mut left = entry.parts().peekable();
        for (&id, old) in self.parts.iter().zip(&self.old.parts) {
            let new = left.next_if(|(part, _)| *part == id).map(|(_, part)| part);
            broken.extend(self.part(id, old, new, live));
        }
        // A part that is new, or in another place.
        broken.extend(left.next().map(|_| Invariant::Untouched));
        broken.extend(self.emptied(entry));
        broken.into_iter().map(|invariant| Violation { invariant, message: self.message }).collect()
    }

    fn part(&self, id: PartId, old: &Part, new: Option<&Part>, live: bool) -> Vec<Invariant> {
        if new == Some(old) {
            return Vec::new();
        }
        let mut stated = self.stated.iter().filter(|stated| stated.part == id).peekable();
        if stated.peek().is_none() {
            return vec![Invariant::Untouched];
        }
        let as_stated =
            |one: &Stated| new.map(|part| (&part.body, part.level)) == one.body.as_ref().map(|b| (b, one.level));
        let stated: Vec<&Stated> = stated.filter(|one| as_stated(one)).collect();
        if stated.is_empty() {
            return vec![Invariant::Stated];
        }
        let failed = matches!(&old.body, Body::ToolResult(result) if result.is_error);
        let grown = new.is_some_and(|new| new.body.chars() >= old.body.chars());
        let thinking = live && matches!(old.body, Body::Thinking { .. });
        let found = [
            (failed && !stated.iter().any(|one| one.errors), Invariant::Errors),
            (grown, Invariant::Shorter),
            (thinking, Invariant::Thinking),
        ];
        found.into_iter().filter(|(broken, _)| *broken).map(|(_, invariant)| invariant).collect()
    }

    /// A message that said something still does; only results may be empty.
    fn emptied(&self, entry: &Entry) -> Option<Invariant> {
        (entry.role != Role::Tool && self.old.chars() > 0 && entry.message.chars() == 0).then_some(Invariant::Untouched)
    }
}
