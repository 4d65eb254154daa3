//! An independent watch over the invariants: it compares what edits have made with what stood there before.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::edit::{MessageId, Receipt};
use super::message::{Body, Message, Role};
use super::{Conversation, GroupId};

/// What an edit must not break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    /// A call and its results stay together, and nothing stands between them.
    Pairs,
    /// The system prompt stays.
    SystemPrompt,
    /// The first message behind the system prompt is a user's.
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

/// What stood before an edit: every message by its id, and the violations that were there already.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    known: Vec<Option<Arc<Message>>>,
    prompt: usize,
    faults: HashSet<Violation>,
}

impl Snapshot {
    /// Takes note of the messages that have come since; call it before edits.
    pub fn observe(&mut self, conversation: &Conversation) {
        let seen = self.known.len();
        self.known.resize(conversation.next as usize, None);
        for entry in conversation.entries.iter().rev().take_while(|entry| entry.id.0 as usize >= seen) {
            self.known[entry.id.0 as usize] = Some(Arc::clone(&entry.message));
        }
        self.prompt = conversation.prompt_len();
    }

    /// Takes note of the faults that the conversation has by itself; call it before edits that move messages.
    pub fn survey(&mut self, conversation: &Conversation) {
        self.faults = structure(conversation);
    }

    /// What the edits with these receipts have broken. `errors` says whether the policy lets error results be reduced.
    pub fn check(&mut self, conversation: &Conversation, receipts: &[Receipt], errors: bool) -> Vec<Violation> {
        let mut broken = Vec::new();
        let live = conversation.loop_start();
        for receipt in receipts.iter().filter(|receipt| receipt.removed == 0 && receipt.before > 0) {
            let Some(at) = conversation.index(receipt.message) else { continue };
            let new = &conversation.entries[at].message;
            if let Some(Some(old)) = self.known.get(receipt.message.0 as usize) {
                let found = content(old, new, errors, at >= live);
                broken.extend(found.map(|invariant| Violation { invariant, message: receipt.message }));
            }
            self.known[receipt.message.0 as usize] = Some(Arc::clone(new));
        }
        if receipts.iter().any(|receipt| receipt.removed > 0 || receipt.before == 0) {
            let lost = self.prompt.saturating_sub(conversation.prompt_len());
            broken
                .extend((lost > 0).then_some(Violation { invariant: Invariant::SystemPrompt, message: MessageId(0) }));
            broken.extend(structure(conversation).difference(&self.faults));
        }
        broken.sort_unstable();
        broken
    }
}

/// What a content edit of one message has broken.
fn content(old: &Message, new: &Message, errors: bool, live: bool) -> impl Iterator<Item = Invariant> {
    let thinking = |message: &Message| {
        message.parts.iter().filter(|part| matches!(part.body, Body::Thinking { .. })).cloned().collect::<Vec<_>>()
    };
    let failed = |message: &Message| message.results().any(|result| result.is_error);
    let grown = (new.chars() >= old.chars()).then_some(Invariant::Shorter);
    let touched = (!errors && failed(old)).then_some(Invariant::Errors);
    let changed = (live && thinking(old) != thinking(new)).then_some(Invariant::Thinking);
    [grown, touched, changed].into_iter().flatten()
}

/// The faults of a conversation's order, whoever made them.
fn structure(conversation: &Conversation) -> HashSet<Violation> {
    let entries = &conversation.entries;
    let mut faults = HashSet::new();
    let mut add = |invariant, message| faults.insert(Violation { invariant, message });
    if let Some(first) = entries.get(conversation.prompt_len()).filter(|entry| entry.role != Role::User) {
        add(Invariant::UserFirst, first.id);
    }
    let mut calls: HashMap<GroupId, usize> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
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
