//! Messages that no effect removes or summarises.

use std::fmt;

use super::{Body, Conversation, MessageId};

/// Which messages an effect keeps as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pins {
    /// The first message written by a person.
    pub first_user: bool,
    /// The message that began the current run.
    pub request: bool,
}

impl Pins {
    /// No message.
    pub const NONE: Self = Self { first_user: false, request: false };
    /// The request of the run, which every policy keeps unless it says otherwise.
    pub const REQUEST: Self = Self { first_user: false, request: true };
    /// The word for no pin. It stands alone.
    pub const NONE_WORD: &str = "none";
    /// The words of a policy, the default first. Each but that for no pin also stands for the request.
    pub const WORDS: &[&str] = &["request", "first_user", Self::NONE_WORD];

    /// The pins that these words stand for; none if one of them is unknown, or if the word for no pin is not alone.
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut found: Option<Self> = None;
        for word in words {
            let pins = match word {
                "request" => Self::REQUEST,
                "first_user" => Self { first_user: true, ..Self::REQUEST },
                Self::NONE_WORD => Self::NONE,
                _ => return None,
            };
            let is_alone = found.is_none_or(|found| (found == Self::NONE) == (pins == Self::NONE));
            if !is_alone {
                return None;
            }
            let first_user = pins.first_user || found.is_some_and(|found| found.first_user);
            found = Some(Self { first_user, ..pins });
        }
        found
    }

    /// The words that stand for each pin; empty for none.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let words = [("first_user", self.first_user), ("request", self.request)];
        words.into_iter().filter_map(|(word, is_pinned)| is_pinned.then_some(word))
    }
}

/// As a policy says it, in one word.
impl fmt::Display for Pins {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.words().next().unwrap_or(Self::NONE_WORD))
    }
}

impl Conversation {
    /// Notes which message began the current run.
    pub fn set_request(&mut self, request: Option<MessageId>) {
        self.request = request;
    }

    /// The index of the message that began the run, unless the harness has removed it.
    pub fn request(&self) -> Option<usize> {
        self.request.and_then(|request| self.index(request))
    }

    /// Whether a part of the message at an index is an image of the request, which no effect removes.
    pub fn is_of_request(&self, at: usize, body: &Body) -> bool {
        matches!(body, Body::Image { .. }) && self.request() == Some(at)
    }

    /// The indices of the pinned messages, in order.
    pub fn pinned_messages(&self, pins: Pins) -> impl Iterator<Item = usize> + use<> {
        let first = self.first_person().filter(|_| pins.first_user);
        let request = self.request().filter(|at| pins.request && Some(*at) != first);
        let (first, second) = if request < first && request.is_some() { (request, first) } else { (first, request) };
        first.into_iter().chain(second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Bytes, Message, Role};

    #[test]
    fn words_stand_for_pins() {
        let pins = |words: &[&str]| Pins::from_words(words.iter().copied());
        assert_eq!(pins(&["request"]), Some(Pins::REQUEST));
        assert_eq!(pins(&["first_user"]), Some(Pins { first_user: true, request: true }));
        assert_eq!(pins(&["request", "first_user", "request"]), pins(&["first_user"]));
        assert_eq!(pins(&["none"]), Some(Pins::NONE));
        for invalid in [&["none", "request"][..], &["request", "none"], &["last_user"], &[]] {
            assert_eq!(pins(invalid), None, "{invalid:?}");
        }
        for word in Pins::WORDS {
            let known = pins(&[word]).expect("the word is known");
            assert_eq!(known.to_string(), *word);
            assert_eq!(known == Pins::NONE, known.words().next().is_none());
        }
    }

    #[test]
    fn the_request_is_pinned_until_it_is_gone() {
        let mut conversation = Conversation::default();
        let all = Pins { first_user: true, request: true };
        let found = |conversation: &Conversation, pins| conversation.pinned_messages(pins).collect::<Vec<_>>();
        let (first, _) = conversation.push(Message::text(Role::User, "one"), &Bytes);
        conversation.set_request(Some(first));
        assert_eq!(found(&conversation, all), [0], "the same message");
        conversation.push(Message::text(Role::Assistant, "done"), &Bytes);
        let (second, _) = conversation.push(Message::text(Role::User, "two"), &Bytes);
        conversation.set_request(Some(second));
        assert_eq!(found(&conversation, all), [0, 2]);
        assert_eq!(found(&conversation, Pins::REQUEST), [2]);
        assert_eq!(found(&conversation, Pins::NONE), [0; 0]);
        conversation.reset();
        assert_eq!(found(&conversation, all), [0; 0]);
    }
}
