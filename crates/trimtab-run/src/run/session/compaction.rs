//! Whether a client has compacted its conversation: its history departs from a branch and still has later messages of it.

use std::collections::HashSet;
use std::sync::Arc;

use trimtab_base::conversation::{Message, Role};

use super::decisions::message_digest;
use super::same_message::is_same;

/// Whether a history that departs from a known one after `shared` messages is what is left of it: it is shorter, and it has a
/// reply or a result of what it leaves out, or all of several user messages. A history that goes back to an earlier point has
/// neither.
pub(super) fn is_compacted<'m>(
    known: impl Iterator<Item = &'m Arc<Message>>,
    history: &[Arc<Message>],
    shared: usize,
) -> bool {
    let left_out: Vec<&Arc<Message>> = known.skip(shared).collect();
    let new = &history[shared..];
    if new.is_empty() || new.len() >= left_out.len() {
        return false;
    }
    has_reply_of(&left_out, new) || has_users_of(&left_out, new)
}

/// The messages of a compacted list after its first `shared` ones, as its session gets them: the context starts over with the
/// first of them, and those that the client has kept are copies.
pub(super) fn messages_after<'m>(
    known: impl Iterator<Item = &'m Arc<Message>>,
    history: &[Arc<Message>],
    shared: usize,
) -> Vec<Arc<Message>> {
    let left_out: Vec<&Arc<Message>> = known.skip(shared).collect();
    let mut next = 0;
    let mut as_arrived = |message: &Arc<Message>| {
        let Some(at) = left_out[next..].iter().position(|old| is_same(old, message)) else {
            return Arc::clone(message);
        };
        next += at + 1;
        Arc::new(message.kept_copy())
    };
    let mut messages: Vec<Arc<Message>> = history[shared..].iter().map(&mut as_arrived).collect();
    if let Some(first) = messages.first_mut() {
        Arc::make_mut(first).resets = true;
    }
    messages
}

fn has_reply_of(left_out: &[&Arc<Message>], new: &[Arc<Message>]) -> bool {
    let is_of_agent = |message: &&Arc<Message>| matches!(message.role, Role::Assistant | Role::Tool);
    let known: HashSet<String> =
        left_out.iter().copied().filter(is_of_agent).map(|message| message_digest(message)).collect();
    new.iter().filter(is_of_agent).any(|message| known.contains(&message_digest(message)))
}

fn has_users_of(left_out: &[&Arc<Message>], new: &[Arc<Message>]) -> bool {
    let mut rest = new.iter();
    let users: Vec<&Arc<Message>> = left_out.iter().copied().filter(|message| message.is_person()).collect();
    users.len() > 1 && users.iter().all(|user| rest.any(|message| is_same(user, message)))
}
