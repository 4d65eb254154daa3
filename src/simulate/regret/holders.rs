//! Which parts of the kept conversation hold each quotable string, and who took it from those that no longer do.
//!
//! Each content of a part is searched once. A look-up passes over contents that are gone only once, so that a replay
//! stays linear.

use std::collections::{BinaryHeap, HashSet};

use foldhash::{HashMap, HashMapExt};

use super::vocabulary::{Vocabulary, Word};
use crate::conversation::{Body, Message, MessageId, PartId};

/// Who took a string from the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    /// The index of the rule.
    pub(super) rule: usize,
    /// The model call at which it was taken.
    pub(super) call: usize,
}

/// What has become of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is in the conversation.
    Kept,
    /// A rule took it; the number counts such contents.
    Taken(Cause, usize),
    /// The recorded context does not have it either.
    Gone,
}

/// One content of a part.
#[derive(Debug)]
struct Content {
    message: MessageId,
    state: State,
}

/// A part of a message.
#[derive(Debug)]
struct Part {
    /// The strings that it has in the recording.
    recorded: Box<[Word]>,
    /// The strings that it has now, if a rule has changed it.
    changed: Option<Box<[Word]>>,
    /// The index of its content now.
    content: Option<usize>,
    /// The index of its contents that rules took.
    taken: Vec<usize>,
}

/// The contents that have a string.
#[derive(Debug, Default)]
struct Holders {
    /// Those of parts that have it in the recording, that of the newest message on top; some are not kept any more.
    kept: BinaryHeap<(MessageId, usize)>,
    /// The same for parts that do not have it in the recording.
    added: BinaryHeap<(MessageId, usize)>,
    /// The same for messages that are sent whatever a view leaves out.
    always: BinaryHeap<(MessageId, usize)>,
    /// Those that rules took, the last one on top; some are gone.
    taken: BinaryHeap<(usize, usize)>,
}

/// Where a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the request, or nowhere.
    Elsewhere,
    /// In a message that a view leaves out.
    LeftOut,
    /// Only in content that a rule took.
    Taken(Cause),
}

/// The contents of a kept conversation by their quotable strings.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) vocabulary: Vocabulary,
    all: Vec<Content>,
    holders: Vec<Holders>,
    messages: HashMap<MessageId, Vec<Part>>,
    taken: usize,
}

impl Contents {
    pub(super) fn new(vocabulary: Vocabulary) -> Self {
        let holders = (0..vocabulary.len()).map(|_| Holders::default()).collect();
        Self { vocabulary, all: Vec::new(), holders, messages: HashMap::new(), taken: 0 }
    }

    /// Adds a message. `always` is whether views never leave it out.
    pub(super) fn add(&mut self, id: MessageId, message: &Message, is_recorded: bool, always: bool) {
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            let words = self.vocabulary.words(&part.body);
            let (recorded, changed) = if is_recorded { (words, None) } else { (Box::default(), Some(words)) };
            let mut part = Part { recorded, changed, content: None, taken: Vec::new() };
            keep(&mut part, (id, always), &mut self.all, &mut self.holders);
            parts.push(part);
        }
        self.messages.insert(id, parts);
    }

    /// Records that a rule replaced the content of a part, or removed it.
    pub(super) fn replace(&mut self, message: MessageId, part: PartId, new: Option<&Body>, cause: Cause) {
        self.take(message, part, cause);
        let Some(body) = new else { return };
        let words = self.vocabulary.words(body);
        let Self { all, holders, messages, .. } = self;
        if let Some(part) = part_of(messages, message, part) {
            part.changed = Some(words);
            keep(part, (message, false), all, holders);
        }
    }

    /// Records that a part has its recorded content again.
    pub(super) fn restore(&mut self, message: MessageId, part: PartId) {
        let Self { all, holders, messages, .. } = self;
        let Some(part) = part_of(messages, message, part) else { return };
        part.changed = None;
        for at in part.taken.drain(..).chain(part.content.take()) {
            all[at].state = State::Gone;
        }
        keep(part, (message, false), all, holders);
    }

    /// Records that a rule removed messages.
    pub(super) fn remove(&mut self, message: MessageId, cause: Cause) {
        let parts = self.messages.get(&message).map_or(0, Vec::len);
        (0u32..).map(PartId).take(parts).for_each(|part| self.take(message, part, cause));
    }

    /// Records that the context of the recording does not have a message any more, nor the kept one.
    pub(super) fn forget(&mut self, message: MessageId) {
        for part in self.messages.remove(&message).into_iter().flatten() {
            part.taken.into_iter().chain(part.content).for_each(|at| self.all[at].state = State::Gone);
        }
    }

    /// The same for all messages but these and those from an id on.
    pub(super) fn forget_before(&mut self, from: MessageId, kept: &HashSet<MessageId>) {
        let gone: Vec<MessageId> =
            self.messages.keys().copied().filter(|id| *id < from && !kept.contains(id)).collect();
        for id in gone {
            self.forget(id);
        }
    }

    fn take(&mut self, message: MessageId, part: PartId, cause: Cause) {
        let Self { all, holders, messages, taken, .. } = self;
        let Some(part) = part_of(messages, message, part) else { return };
        let Some(content) = part.content.take() else { return };
        let (state, number) = (State::Taken(cause, *taken), *taken);
        *taken += 1;
        let Some(changed) = part.changed.take() else {
            part.taken.push(content);
            all[content].state = state;
            return;
        };
        // What a rule wrote itself is not missed when it goes.
        all[content].state = State::Gone;
        part.taken.push(all.len());
        for word in changed.iter().filter(|word| part.recorded.binary_search(word).is_ok()) {
            holders[*word as usize].taken.push((number, all.len()));
        }
        all.push(Content { message, state });
    }

    /// Finds a string in a request, of which a view leaves out the messages before one, except some.
    pub(super) fn find(&mut self, word: Word, first_sent: Option<MessageId>) -> Place {
        let Self { all, holders, .. } = self;
        let Holders { kept, added, always, taken } = &mut holders[word as usize];
        let newest_kept = newest(kept, taken, all);
        let is_sent = |at: usize| first_sent.is_none_or(|first| all[at].message >= first);
        let is_shown = newest_kept.is_some_and(is_sent)
            || newest(added, taken, all).is_some_and(is_sent)
            || newest(always, taken, all).is_some();
        if is_shown {
            return Place::Elsewhere;
        }
        if newest_kept.is_some() {
            return Place::LeftOut;
        }
        while let Some((_, at)) = taken.peek() {
            match all[*at].state {
                State::Taken(cause, _) => return Place::Taken(cause),
                State::Kept | State::Gone => drop(taken.pop()),
            }
        }
        Place::Elsewhere
    }
}

fn part_of(messages: &mut HashMap<MessageId, Vec<Part>>, message: MessageId, part: PartId) -> Option<&mut Part> {
    messages.get_mut(&message)?.get_mut(usize::try_from(part.0).ok()?)
}

/// Adds the content that a part has now. Its message is sent always, or unless a view leaves it out.
fn keep(part: &mut Part, (message, always): (MessageId, bool), all: &mut Vec<Content>, holders: &mut [Holders]) {
    let at = all.len();
    all.push(Content { message, state: State::Kept });
    part.content = Some(at);
    for word in part.changed.as_ref().unwrap_or(&part.recorded) {
        let holders = &mut holders[*word as usize];
        let is_recorded = part.changed.is_none() || part.recorded.binary_search(word).is_ok();
        let heap = match (always, is_recorded) {
            (true, _) => &mut holders.always,
            (false, true) => &mut holders.kept,
            (false, false) => &mut holders.added,
        };
        heap.push((message, at));
    }
}

/// The content of the newest message. Those that rules took move to another heap, those that are gone are dropped.
fn newest(
    kept: &mut BinaryHeap<(MessageId, usize)>,
    taken: &mut BinaryHeap<(usize, usize)>,
    contents: &[Content],
) -> Option<usize> {
    while let Some((_, at)) = kept.peek().copied() {
        match contents[at].state {
            State::Kept => return Some(at),
            State::Taken(_, number) => taken.push((number, at)),
            State::Gone => {}
        }
        kept.pop();
    }
    None
}
