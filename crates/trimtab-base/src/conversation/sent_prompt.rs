//! The system prompt as it is sent, without a copy of it for each request.

use std::sync::Arc;

use super::name_filter::NameFilter;
use super::section::WithSections;
use super::{Body, Conversation, Counter, Entry, Message};

/// The system prompt of a request.
#[derive(Clone, Debug)]
pub struct SentPrompt {
    /// The number of messages that it has in the conversation.
    pub(super) length: usize,
    /// What is sent of them, if sections are chosen.
    pub(super) shown: Option<Arc<[Arc<Message>]>>,
    /// The messages that views add.
    pub(super) added: Vec<Arc<Message>>,
}

impl SentPrompt {
    /// The texts of the messages that views add.
    pub fn added_texts(&self) -> impl Iterator<Item = String> {
        self.added.iter().map(|message| message.plain_text())
    }

    /// Whether it equals the prompt of another request of the same conversation. The recorded prompt of a conversation
    /// only grows.
    pub fn is_same(&self, other: &Self, conversation: &Conversation) -> bool {
        let recorded = |length: usize| conversation.entries()[..length].iter().map(Entry::shared_message);
        let shown = match (&self.shown, &other.shown) {
            (None, None) => self.length == other.length,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || are_equal(one.iter(), other.iter()),
            (Some(shown), None) => are_equal(shown.iter(), recorded(other.length)),
            (None, Some(shown)) => are_equal(shown.iter(), recorded(self.length)),
        };
        shown && are_equal(self.added.iter(), other.added.iter())
    }

    /// The number of recorded messages of the prompt that both requests send unchanged before the first difference.
    pub fn in_common(&self, other: &Self, conversation: &Conversation) -> usize {
        let recorded = &conversation.entries()[..self.length.min(other.length)];
        let sent = |prompt: &Self, at: usize| match &prompt.shown {
            Some(shown) => shown.get(at).is_some_and(|sent| Arc::ptr_eq(sent, recorded[at].shared_message())),
            None => true,
        };
        (0..recorded.len()).take_while(|at| sent(self, *at) && sent(other, *at)).count()
    }

    /// The tokens that both have in common after those recorded messages: equal messages and the common beginning of
    /// the first different ones.
    pub fn tokens_in_common(&self, other: &Self, conversation: &Conversation, counter: &dyn Counter) -> u64 {
        let at = self.in_common(other, conversation);
        let pairs = self.messages(conversation).zip(other.messages(conversation)).skip(at);
        let mut tokens = 0;
        for (one, other) in pairs {
            if !Arc::ptr_eq(one, other) && one != other {
                return tokens + start_in_common(one, other, counter);
            }
            tokens += counter.message(one);
        }
        tokens
    }

    /// The messages as they are sent.
    fn messages<'a>(&'a self, conversation: &'a Conversation) -> impl Iterator<Item = &'a Arc<Message>> {
        let recorded = conversation.entries()[..self.length].iter().map(Entry::shared_message);
        let shown = self.shown.as_ref().map(|shown| shown.iter());
        let recorded = self.shown.is_none().then_some(recorded);
        shown.into_iter().flatten().chain(recorded.into_iter().flatten()).chain(&self.added)
    }
}

/// The tokens of the common beginning of two messages.
fn start_in_common(one: &Message, other: &Message, counter: &dyn Counter) -> u64 {
    let mut tokens = 0;
    for (one, other) in one.parts.iter().zip(&other.parts) {
        match (&one.body, &other.body) {
            (one, other) if one == other => tokens += counter.body(one),
            (Body::Text(one), Body::Text(other)) => {
                let length: usize =
                    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
                return tokens + counter.text(one.get(..length).unwrap_or_default());
            }
            _ => return tokens,
        }
    }
    tokens
}

fn are_equal<'a>(
    one: impl ExactSizeIterator<Item = &'a Arc<Message>>,
    other: impl ExactSizeIterator<Item = &'a Arc<Message>>,
) -> bool {
    one.len() == other.len() && one.zip(other).all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
}

/// The system prompt with the last choice of sections. A cache, so that a long prompt does not make each request
/// slower.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownSections {
    sections: NameFilter,
    length: usize,
    shown: Arc<[Arc<Message>]>,
    /// The tokens that are not sent.
    removed: u64,
}

impl ShownSections {
    /// Updates what is sent with a choice of sections.
    pub(super) fn update(&mut self, sections: &NameFilter, conversation: &Conversation, counter: &dyn Counter) {
        let length = conversation.prompt_len();
        if sections.is_empty() || *sections == self.sections && length == self.length {
            return;
        }
        let (mut shown, mut removed) = (Vec::with_capacity(length), 0);
        for entry in &conversation.entries()[..length] {
            match entry.with_sections(|name| sections.shows(name)) {
                WithSections::Same => shown.push(Arc::clone(entry.shared_message())),
                WithSections::Changed(sent) => {
                    removed += entry.tokens().saturating_sub(counter.message(sent.message()));
                    shown.push(Arc::clone(sent.shared_message()));
                }
                WithSections::Nothing => removed += entry.tokens(),
            }
        }
        (self.sections, self.length, self.shown, self.removed) = (sections.clone(), length, shown.into(), removed);
    }

    /// Returns what is sent with a choice of sections, and the tokens that are not, or `None` if all is sent.
    pub(super) fn of(&self, sections: &NameFilter) -> Option<(&Arc<[Arc<Message>]>, u64)> {
        (!sections.is_empty()).then_some((&self.shown, self.removed))
    }
}
