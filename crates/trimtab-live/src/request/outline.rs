//! What a session made of a history: which parts of which messages are edited, and where new messages are.

use std::sync::Arc;

use trimtab_base::conversation::{Body, Entry, Message, MessageId, Part, SentMessage};

/// What becomes of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change<'s> {
    /// It stays.
    Keep,
    /// It is removed.
    Remove,
    /// Its content is replaced.
    Replace { old: &'s Body, new: &'s Body },
}

/// A message that is not in the history.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewMessage<'s> {
    pub(super) message: &'s Message,
    /// Whether it belongs to the system prompt.
    pub(super) is_prompt: bool,
}

/// What becomes of a history.
#[derive(Debug, Default)]
pub(super) struct Outline<'s> {
    /// The entry of each message of the history, or `None` if it is not sent.
    entries: Vec<Option<&'s Entry>>,
    /// New messages, each with the number of history messages before it.
    new: Vec<(usize, NewMessage<'s>)>,
    /// The additions to the system prompt that are not among the new messages.
    prompt: Vec<&'s Message>,
}

impl<'s> Outline<'s> {
    /// `ids` are the identities of the messages of the history. With `prompt_in_list`, additions to the system prompt are
    /// new messages.
    pub(super) fn of(ids: &[Option<MessageId>], request: &'s [SentMessage<'s>], prompt_in_list: bool) -> Self {
        let mut places: Vec<(MessageId, usize)> =
            ids.iter().enumerate().filter_map(|(at, id)| Some(((*id)?, at))).collect();
        // Messages get their identities in the order in which they arrive, so they are mostly sorted.
        places.sort_unstable();
        let place = |id| places.binary_search_by_key(&id, |(id, _)| *id).ok().map(|at| places[at].1);
        let mut outline = Self { entries: vec![None; ids.len()], ..Self::default() };
        let mut before = 0;
        for sent in request {
            match sent {
                SentMessage::Entry(entry) => match place(entry.id()) {
                    Some(at) => {
                        outline.entries[at] = Some(entry);
                        before = at + 1;
                    }
                    None => outline.new.push((before, NewMessage { message: entry.message(), is_prompt: false })),
                },
                SentMessage::Prompt(message) if prompt_in_list => {
                    outline.new.push((before, NewMessage { message, is_prompt: true }));
                }
                SentMessage::Prompt(message) => outline.prompt.push(message),
                SentMessage::End(message) => outline.new.push((ids.len(), NewMessage { message, is_prompt: false })),
            }
        }
        outline
    }

    /// The additions to the system prompt that are not among the new messages.
    pub(super) fn prompt(&self) -> impl Iterator<Item = &'s Message> {
        self.prompt.iter().copied()
    }

    /// Whether a message of the history is sent.
    pub(super) fn is_kept(&self, at: usize) -> bool {
        self.entries[at].is_some()
    }

    /// Returns a message of the history as it is sent, or `None` if it is not sent.
    pub(super) fn sent(&self, at: usize) -> Option<&'s Arc<Message>> {
        self.entries[at].map(Entry::shared_message)
    }

    /// Whether a message of the history is sent as it arrived.
    pub(super) fn is_untouched(&self, at: usize) -> bool {
        self.entries[at].is_some_and(|entry| std::ptr::eq(entry.message(), entry.recorded()))
    }

    /// The new messages right before the history message at an index.
    pub(super) fn new_before(&self, at: usize) -> impl Iterator<Item = NewMessage<'s>> {
        let first = self.new.partition_point(|(before, _)| *before < at);
        self.new[first..].iter().take_while(move |(before, _)| *before == at).map(|(_, message)| *message)
    }

    /// What becomes of each part of a message, which the client may have sent with less thinking than before. Empty if
    /// nothing is edited.
    pub(super) fn changes(&self, at: usize, message: &Message) -> Vec<Change<'s>> {
        let Some(entry) = self.entries[at].filter(|_| !self.is_untouched(at)) else { return Vec::new() };
        let known: Vec<(&Body, Change<'s>)> = known_changes(entry);
        if known.iter().all(|(_, change)| *change == Change::Keep) {
            return Vec::new();
        }
        matched(&known, &message.parts)
    }
}

/// The parts of a message as it arrived, with what became of them.
fn known_changes(entry: &Entry) -> Vec<(&Body, Change<'_>)> {
    let mut known: Vec<_> = entry.recorded().parts.iter().map(|part| (&part.body, Change::Remove)).collect();
    for (id, part) in entry.parts() {
        if let Some((old, change)) = known.get_mut(id.0 as usize) {
            let new = &part.body;
            *change = if *old == new { Change::Keep } else { Change::Replace { old, new } };
        }
    }
    known
}

/// The changes for the parts as the client sends them now. Thinking is matched with thinking: by its order, or by its
/// content if the client has left some of it out. Everything else is matched by its order.
fn matched<'s>(known: &[(&'s Body, Change<'s>)], parts: &[Part]) -> Vec<Change<'s>> {
    let (thinking, others): (Vec<_>, Vec<_>) = known.iter().partition(|(body, _)| is_thinking(body));
    let count = parts.iter().filter(|part| is_thinking(&part.body)).count();
    let is_complete = thinking.len() == count;
    let (mut in_order, mut others) = (thinking.iter(), others.iter());
    let change = |part: &Part| {
        let found = match &part.body {
            body if !is_thinking(body) => others.next(),
            _ if is_complete => in_order.next(),
            body => thinking.iter().find(|(old, _)| *old == body),
        };
        found.map_or(Change::Keep, |(_, change)| *change)
    };
    parts.iter().map(change).collect()
}

const fn is_thinking(body: &Body) -> bool {
    matches!(body, Body::Thinking { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thinking(text: &str) -> Body {
        Body::Thinking { text: text.into(), signature: Some("s".into()) }
    }

    #[test]
    fn thinking_that_a_client_left_out_does_not_shift_the_changes() {
        let (one, two, text) = (thinking("one"), thinking("two"), Body::Text("text".into()));
        let new = Body::Text("new".into());
        let replaced = Change::Replace { old: &text, new: &new };
        let known = [(&one, Change::Remove), (&text, replaced), (&two, Change::Keep)];
        let changes = |bodies: &[&Body]| {
            let parts: Vec<Part> = bodies.iter().map(|body| Part::new((*body).clone())).collect();
            matched(&known, &parts)
        };
        assert_eq!(changes(&[&one, &text, &two]), [Change::Remove, replaced, Change::Keep]);
        assert_eq!(changes(&[&text]), [replaced]);
        assert_eq!(changes(&[&text, &two]), [replaced, Change::Keep]);
        assert_eq!(changes(&[&one, &text]), [Change::Remove, replaced]);
    }
}
