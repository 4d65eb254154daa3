//! Which parts of the conversation under the policy hold each quotable string, and who took it from those that no longer do.
//!
//! A content is searched when an answer depends on it, and once: what rules removed is searched at the next look-up, and what
//! is kept only for strings that rules removed, the newest first. A look-up passes over contents that are gone only once, so
//! that a replay stays linear.

use std::cell::OnceCell;
use std::collections::BinaryHeap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet};
use trimtab_base::conversation::{Body, Message, MessageId, PartId};

use super::vocabulary::{Vocabulary, Word};

/// Who took a string from the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    /// The index of the rule.
    pub(super) rule: usize,
    /// The model call at which it was removed.
    pub(super) call: usize,
}

/// What has become of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is in the conversation.
    Kept,
    /// A rule removed it; the number counts such contents.
    Removed(Cause, usize),
    /// The recorded context does not have it either.
    Gone,
}

/// One content of a part.
#[derive(Clone, Copy, Debug)]
struct Content {
    message: MessageId,
    part: PartId,
    state: State,
    /// Whether its strings are known to the holders.
    is_searched: bool,
}

/// A text with its quotable strings.
#[derive(Debug)]
struct Text {
    source: Source,
    words: OnceCell<Box<[Word]>>,
}

#[derive(Debug)]
enum Source {
    /// A part of a message as it arrived.
    Arrived(Arc<Message>, usize),
    /// What a rule wrote.
    Written(Body),
}

/// A part of a message.
#[derive(Debug)]
struct Part {
    /// Whether views never leave out its message.
    always: bool,
    /// What it has in the recording.
    recorded: Option<Text>,
    /// What it has now, if a rule has changed it.
    changed: Option<Text>,
    /// The index of its content now.
    content: Option<usize>,
    /// The index of its contents that rules removed.
    removed: Vec<usize>,
}

/// The searched contents that have a string.
#[derive(Debug, Default)]
struct Holders {
    /// Those of parts that have it in the recording, that of the newest message on top; some are not kept any more.
    kept: BinaryHeap<(MessageId, usize)>,
    /// The same for parts that do not have it in the recording.
    added: BinaryHeap<(MessageId, usize)>,
    /// The same for messages that are sent whatever a view leaves out.
    always: BinaryHeap<(MessageId, usize)>,
    /// Those that rules removed, the last one on top; some are gone.
    removed: BinaryHeap<(usize, usize)>,
}

/// Where a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// In the request, or nowhere.
    Elsewhere,
    /// In a message that a view leaves out.
    LeftOut,
    /// Only in content that a rule removed.
    Removed(Cause),
}

/// The contents of the conversation under the policy by their quotable strings.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) vocabulary: Vocabulary,
    all: Vec<Content>,
    holders: Vec<Holders>,
    messages: HashMap<MessageId, Vec<Part>>,
    removed: usize,
    /// The contents that were kept and not searched yet, the newest last.
    unsearched: Vec<usize>,
    /// The contents that rules removed before they were searched.
    unsearched_removed: Vec<usize>,
}

impl Text {
    const fn new(source: Source) -> Self {
        Self { source, words: OnceCell::new() }
    }

    fn words(&self, vocabulary: &Vocabulary) -> &[Word] {
        self.words.get_or_init(|| match &self.source {
            Source::Arrived(message, part) => vocabulary.words(&message.parts[*part].body),
            Source::Written(body) => vocabulary.words(body),
        })
    }
}

impl Part {
    /// The strings that it has in the recording.
    fn recorded_words(&self, vocabulary: &Vocabulary) -> &[Word] {
        self.recorded.as_ref().map_or(&[], |text| text.words(vocabulary))
    }
}

impl Contents {
    pub(super) fn new(vocabulary: Vocabulary) -> Self {
        let holders = (0..vocabulary.len()).map(|_| Holders::default()).collect();
        Self {
            vocabulary,
            all: Vec::new(),
            holders,
            messages: HashMap::new(),
            removed: 0,
            unsearched: Vec::new(),
            unsearched_removed: Vec::new(),
        }
    }

    /// Adds a message. `always` is whether views never leave it out.
    pub(super) fn add(&mut self, id: MessageId, message: &Arc<Message>, is_recorded: bool, always: bool) {
        let part = |at: usize| {
            let text = Some(Text::new(Source::Arrived(Arc::clone(message), at)));
            let (recorded, changed) = if is_recorded { (text, None) } else { (None, text) };
            Part { always, recorded, changed, content: None, removed: Vec::new() }
        };
        self.messages.insert(id, (0..message.parts.len()).map(part).collect());
        (0u32..).map(PartId).take(message.parts.len()).for_each(|part| self.keep(id, part));
    }

    /// Records that a rule replaced the content of a part, or removed it.
    pub(super) fn replace(&mut self, message: MessageId, part: PartId, new: Option<Body>, cause: Cause) {
        self.take(message, part, cause);
        let Some(body) = new else { return };
        if let Some(changed) = part_of(&mut self.messages, message, part) {
            (changed.always, changed.changed) = (false, Some(Text::new(Source::Written(body))));
            self.keep(message, part);
        }
    }

    /// Records that a part has its recorded content again.
    pub(super) fn restore(&mut self, message: MessageId, part: PartId) {
        let Some(restored) = part_of(&mut self.messages, message, part) else { return };
        (restored.always, restored.changed) = (false, None);
        for at in restored.removed.drain(..).chain(restored.content.take()) {
            self.all[at].state = State::Gone;
        }
        self.keep(message, part);
    }

    /// Adds the content that a part has now.
    fn keep(&mut self, message: MessageId, part: PartId) {
        if let Some(kept) = part_of(&mut self.messages, message, part) {
            kept.content = Some(self.all.len());
            self.unsearched.push(self.all.len());
            self.all.push(Content { message, part, state: State::Kept, is_searched: false });
        }
    }

    /// Records that a rule removed messages.
    pub(super) fn remove(&mut self, message: MessageId, cause: Cause) {
        let parts = self.messages.get(&message).map_or(0, Vec::len);
        (0u32..).map(PartId).take(parts).for_each(|part| self.take(message, part, cause));
    }

    /// Records that the context of the recording does not have a message any more, nor the kept one.
    pub(super) fn forget(&mut self, message: MessageId) {
        for part in self.messages.remove(&message).into_iter().flatten() {
            part.removed.into_iter().chain(part.content).for_each(|at| self.all[at].state = State::Gone);
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
        let Self { vocabulary, all, holders, messages, removed, unsearched_removed, .. } = self;
        let Some(of) = part_of(messages, message, part) else { return };
        let Some(content) = of.content.take() else { return };
        let (state, number) = (State::Removed(cause, *removed), *removed);
        *removed += 1;
        let Some(changed) = of.changed.take() else {
            of.removed.push(content);
            all[content].state = state;
            if !all[content].is_searched {
                unsearched_removed.push(content);
            }
            return;
        };
        // What a rule wrote itself is not missed when it goes.
        all[content].state = State::Gone;
        if of.recorded.is_none() {
            return;
        }
        let recorded = of.recorded_words(vocabulary);
        for word in changed.words(vocabulary).iter().filter(|word| recorded.binary_search(word).is_ok()) {
            holders[*word as usize].removed.push((number, all.len()));
        }
        of.removed.push(all.len());
        all.push(Content { message, part, state, is_searched: true });
    }

    /// Finds a string in a request, of which a view leaves out the messages before one, except some.
    pub(super) fn find(&mut self, word: Word, first_sent: Option<MessageId>) -> Presence {
        while let Some(at) = self.unsearched_removed.pop() {
            self.search(at);
        }
        loop {
            let Self { all, holders, .. } = self;
            let Holders { kept, added, always, removed } = &mut holders[word as usize];
            let newest_kept = newest(kept, removed, all);
            let is_sent = |at: usize| first_sent.is_none_or(|first| all[at].message >= first);
            let is_shown = newest_kept.is_some_and(is_sent)
                || newest(added, removed, all).is_some_and(is_sent)
                || newest(always, removed, all).is_some();
            if is_shown {
                return Presence::Elsewhere;
            }
            let cause = last_cause(removed, all);
            // Without a view, only a string that a rule removed is missing, so there is nothing to look for.
            let may_be_missing = first_sent.is_some() || cause.is_some();
            if may_be_missing && self.search_next() {
                continue;
            }
            return match cause {
                _ if newest_kept.is_some() => Presence::LeftOut,
                Some(cause) => Presence::Removed(cause),
                None => Presence::Elsewhere,
            };
        }
    }

    /// Searches the newest of the kept contents that have not been searched; false if there is none.
    fn search_next(&mut self) -> bool {
        while let Some(at) = self.unsearched.pop() {
            if self.all[at].state == State::Kept {
                self.search(at);
                return true;
            }
        }
        false
    }

    fn search(&mut self, at: usize) {
        let Self { vocabulary, all, holders, messages, .. } = self;
        let Content { message, part, state, .. } = all[at];
        let Some(part) = part_of(messages, message, part) else { return };
        all[at].is_searched = true;
        match state {
            State::Kept => {
                let words = part
                    .changed
                    .as_ref()
                    .map_or_else(|| part.recorded_words(vocabulary), |text| text.words(vocabulary));
                for word in words {
                    let holders = &mut holders[*word as usize];
                    let is_recorded =
                        || part.changed.is_none() || part.recorded_words(vocabulary).binary_search(word).is_ok();
                    let heap = if part.always {
                        &mut holders.always
                    } else if is_recorded() {
                        &mut holders.kept
                    } else {
                        &mut holders.added
                    };
                    heap.push((message, at));
                }
            }
            State::Removed(_, number) => {
                for word in part.recorded_words(vocabulary) {
                    holders[*word as usize].removed.push((number, at));
                }
            }
            State::Gone => {}
        }
    }
}

fn part_of(messages: &mut HashMap<MessageId, Vec<Part>>, message: MessageId, part: PartId) -> Option<&mut Part> {
    messages.get_mut(&message)?.get_mut(usize::try_from(part.0).ok()?)
}

/// Who removed the last of the contents that rules removed. Those that are gone are dropped.
fn last_cause(removed: &mut BinaryHeap<(usize, usize)>, contents: &[Content]) -> Option<Cause> {
    while let Some((_, at)) = removed.peek() {
        match contents[*at].state {
            State::Removed(cause, _) => return Some(cause),
            State::Kept | State::Gone => drop(removed.pop()),
        }
    }
    None
}

/// The content of the newest message. Those that rules removed move to another heap, those that are gone are dropped.
fn newest(
    kept: &mut BinaryHeap<(MessageId, usize)>,
    removed: &mut BinaryHeap<(usize, usize)>,
    contents: &[Content],
) -> Option<usize> {
    while let Some((_, at)) = kept.peek().copied() {
        match contents[at].state {
            State::Kept => return Some(at),
            State::Removed(_, number) => removed.push((number, at)),
            State::Gone => {}
        }
        kept.pop();
    }
    None
}
