//! Compares edited messages part by part with what their edits say.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Invariant, Violation};
use crate::conversation::edit::{Edit, MessageId, PartId};
use crate::conversation::message::{Body, Level, Message, Part, Role};
use crate::conversation::{Conversation, Entry};

/// The change of a part that an edit requests.
struct RequestedChange {
    part: PartId,
    body: Option<Body>,
    level: Level,
    errors: bool,
    /// Whether it restores what arrived, so that the part may grow.
    restores: bool,
}

/// A message that content edits name, as it was before them.
pub(super) struct EditedMessage {
    message: MessageId,
    parts: Vec<PartId>,
    old: Arc<Message>,
    /// Whether it belongs to the open tool loop.
    in_open_loop: bool,
    protected: Vec<PartId>,
    /// Whether it began the current run.
    is_request: bool,
    changes: Vec<RequestedChange>,
}

/// The messages that content edits name.
pub(super) fn edited_messages(conversation: &Conversation, edits: &[Edit]) -> Vec<EditedMessage> {
    let mut found: BTreeMap<MessageId, EditedMessage> = BTreeMap::new();
    for edit in edits {
        let (Edit::Reduce { message, .. } | Edit::Restore { message, .. }) = edit else { continue };
        let Some(at) = conversation.index(*message) else { continue };
        let entry = &conversation.entries[at];
        let Some(change) = RequestedChange::of(edit, entry) else { continue };
        let edited = found.entry(*message).or_insert_with(|| EditedMessage {
            message: *message,
            parts: entry.parts().map(|(part, _)| part).collect(),
            old: Arc::clone(&entry.message),
            in_open_loop: at >= conversation.loop_start(),
            protected: entry
                .parts()
                .map(|(part, _)| part)
                .filter(|part| conversation.is_protected(*message, *part))
                .collect(),
            is_request: conversation.request() == Some(at),
            changes: Vec::new(),
        });
        edited.changes.push(change);
    }
    found.into_values().collect()
}

impl RequestedChange {
    /// Returns the change of a part of a message that an edit requests, or `None` if it requests none.
    fn of(edit: &Edit, entry: &Entry) -> Option<Self> {
        match edit {
            Edit::Reduce { part, body, level, errors, .. } => {
                Some(Self { part: *part, body: body.clone(), level: *level, errors: *errors, restores: false })
            }
            Edit::Restore { part, .. } => {
                let Part { body, level } = entry.recorded().parts.get(usize::try_from(part.0).ok()?)?.clone();
                Some(Self { part: *part, body: Some(body), level, errors: true, restores: true })
            }
            _ => None,
        }
    }
}

impl EditedMessage {
    /// The violations in this message. Empty if a summary has replaced it.
    pub(super) fn violations(&self, conversation: &Conversation) -> Vec<Violation> {
        let Some(at) = conversation.index(self.message) else { return Vec::new() };
        let entry = &conversation.entries[at];
        // A summary among the edits may close the loop for the messages before it.
        let in_open_loop = self.in_open_loop && at >= conversation.loop_start();
        let mut violated = Vec::new();
        let mut left = entry.parts().peekable();
        for (&id, old) in self.parts.iter().zip(&self.old.parts) {
            let new = left.next_if(|(part, _)| *part == id).map(|(_, part)| part);
            violated.extend(self.part(id, old, new, in_open_loop));
        }
        // A part that is new or has moved.
        violated.extend(left.next().map(|_| Invariant::Untouched));
        violated.extend(self.emptied(entry));
        violated.into_iter().map(|invariant| Violation { invariant, message: self.message }).collect()
    }

    fn part(&self, id: PartId, old: &Part, new: Option<&Part>, in_open_loop: bool) -> Vec<Invariant> {
        if new == Some(old) {
            return Vec::new();
        }
        let mut changes = self.changes.iter().filter(|change| change.part == id).peekable();
        if changes.peek().is_none() {
            return vec![Invariant::Untouched];
        }
        let is_made = |change: &RequestedChange| {
            new.map(|part| (&part.body, part.level)) == change.body.as_ref().map(|b| (b, change.level))
        };
        let made: Vec<&RequestedChange> = changes.filter(|change| is_made(change)).collect();
        if made.is_empty() {
            return vec![Invariant::Stated];
        }
        let failed = matches!(&old.body, Body::ToolResult(result) if result.is_error);
        let restored = made.iter().any(|change| change.restores);
        // A part that was restored may have been reduced again.
        let limit = self.restored(id).map_or(old.body.chars(), Body::chars);
        let grown = !restored && new.is_some_and(|new| new.body.chars() >= limit);
        let is_asked = self.is_request && matches!(old.body, Body::Text(_) | Body::Image { .. });
        let thinking = in_open_loop && matches!(old.body, Body::Thinking { .. });
        let found = [
            (failed && !made.iter().any(|change| change.errors), Invariant::Errors),
            (grown, Invariant::Shorter),
            (!restored && (is_asked || self.protected.contains(&id)), Invariant::Pinned),
            (thinking, Invariant::Thinking),
        ];
        found.into_iter().filter(|(is_violated, _)| *is_violated).map(|(_, invariant)| invariant).collect()
    }

    /// The content that an edit restores to a part.
    fn restored(&self, id: PartId) -> Option<&Body> {
        let change = self.changes.iter().find(|change| change.part == id && change.restores)?;
        change.body.as_ref()
    }

    /// Whether a message has lost all its content. Only results may be empty.
    fn emptied(&self, entry: &Entry) -> Option<Invariant> {
        (entry.role != Role::Tool && self.old.chars() > 0 && entry.message.chars() == 0).then_some(Invariant::Untouched)
    }
}
