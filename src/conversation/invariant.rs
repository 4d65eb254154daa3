//! An independent watch over the invariants: it compares what an edit has made with what stood there before.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::edit::{Edit, MessageId};
use super::message::{Body, Message, Role};
use super::{Conversation, GroupId};

/// What an edit must not break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    /// A call and its results stay together, and nothing stands between them.
    Pairs,
    /// The system prompt stays.
    SystemPrompt,
    /// The first message that is no system message is a user's.
    UserFirst,
    /// Thinking of the open tool loop stays as it is.
    Thinking,
    /// A content edit makes the text shorter.
    Shorter,
    /// The result of a failed call is left alone, unless the policy says otherwise.
    Errors,
}

impl Invariant {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::SystemPrompt => "system_prompt",
            Self::UserFirst => "user_first",
            Self::Thinking => "thinking",
            Self::Shorter => "shorter",
            Self::Errors => "errors",
        }
    }
}

/// An invariant that an edit has broken, and at which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Violation {
    /// Which.
    pub invariant: Invariant,
    /// Where.
    pub message: MessageId,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at message {}", self.invariant.word(), self.message.0)
    }
}

/// How things stood in a conversation's order.
struct Structure {
    prompt: usize,
    /// The index behind which it was looked at.
    from: usize,
    faults: HashSet<Violation>,
}

/// What an edit is about to touch, for a look back afterwards.
pub(super) struct Watch {
    touched: Option<(MessageId, Arc<Message>, bool)>,
    structure: Option<Structure>,
}

impl Watch {
    /// Takes note of what stands there before an edit.
    pub(super) fn before(conversation: &Conversation, edit: &Edit) -> Self {
        match edit {
            Edit::Reduce { message, errors, .. } => {
                let entry = conversation.index(*message).map(|at| &conversation.entries[at]);
                let touched = entry.map(|entry| (entry.id, Arc::clone(&entry.message), *errors));
                Self { touched, structure: None }
            }
            Edit::Condense { .. } => Self::from(conversation, 0),
            // A result may answer to any call; whatever else is added can only disturb the newest reply.
            Edit::Append(message) if message.results().next().is_some() => Self::from(conversation, 0),
            Edit::Append(_) => {
                let newest = conversation.entries.iter().rposition(|entry| entry.role == Role::Assistant);
                Self::from(conversation, newest.unwrap_or(0))
            }
        }
    }

    /// Takes note of the order from an index on.
    fn from(conversation: &Conversation, from: usize) -> Self {
        let (prompt, faults) = (conversation.prompt_len(), structure(conversation, from));
        Self { touched: None, structure: Some(Structure { prompt, from, faults }) }
    }

    /// What the edit has broken.
    pub(super) fn after(self, conversation: &Conversation) -> Vec<Violation> {
        let mut broken = Vec::new();
        if let Some((id, old, errors)) = self.touched
            && let Some(at) = conversation.index(id)
        {
            let live = || at >= conversation.loop_start();
            let found = content(&old, &conversation.entries[at].message, errors, live);
            broken.extend(found.map(|invariant| Violation { invariant, message: id }));
        }
        if let Some(Structure { prompt, from, faults }) = self.structure {
            let lost = conversation.prompt_len() < prompt;
            broken.extend(lost.then_some(Violation { invariant: Invariant::SystemPrompt, message: MessageId(0) }));
            broken.extend(structure(conversation, from).difference(&faults));
        }
        broken.sort_unstable();
        broken
    }
}

/// What a content edit of one message has broken.
fn content(old: &Message, new: &Message, errors: bool, live: impl Fn() -> bool) -> impl Iterator<Item = Invariant> {
    let thinking = |message: &Message| {
        message.parts.iter().filter(|part| matches!(part.body, Body::Thinking { .. })).cloned().collect::<Vec<_>>()
    };
    let failed = |message: &Message| message.results().any(|result| result.is_error);
    let grown = (new.chars() >= old.chars()).then_some(Invariant::Shorter);
    let touched = (!errors && failed(old)).then_some(Invariant::Errors);
    let changed = (thinking(old) != thinking(new) && live()).then_some(Invariant::Thinking);
    [grown, touched, changed].into_iter().flatten()
}

/// The faults of a conversation's order from an index on, whoever made them.
fn structure(conversation: &Conversation, from: usize) -> HashSet<Violation> {
    let entries = &conversation.entries;
    let mut faults = HashSet::new();
    let mut add = |invariant, message| faults.insert(Violation { invariant, message });
    let first = entries.iter().find(|entry| entry.role != Role::System);
    if let Some(first) = first.filter(|entry| entry.role != Role::User) {
        add(Invariant::UserFirst, first.id);
    }
    let mut calls: HashMap<GroupId, usize> = HashMap::new();
    for (at, entry) in entries.iter().enumerate().skip(from) {
        if entry.message.calls().next().is_some() {
            calls.insert(entry.group, at);
        }
        if entry.role == Role::Tool {
            let call = calls.get(&entry.group);
            let between = |call: &usize| entries[call + 1..at].iter().any(|other| other.role != Role::Tool);
            if call.is_none_or(between) {
                add(Invariant::Pairs, entry.id);
            }
        }
    }
    for (&group, &at) in &calls {
        let wanted = entries[at].message.calls().count();
        let found = entries[at + 1..].iter().take_while(|entry| entry.role == Role::Tool);
        if found.filter(|entry| entry.group == group).count() < wanted {
            add(Invariant::Pairs, entries[at].id);
        }
    }
    faults
}
