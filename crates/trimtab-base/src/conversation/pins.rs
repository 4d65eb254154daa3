//! Messages that an effect neither removes nor summarises, as its label `pin` says.

use std::fmt;

use foldhash::HashSet;

use super::pinned::PinnedMessages;
use super::{Body, Conversation, GroupId, MessageId};
use crate::quantity::{Quantity, Unit};

/// One kind of messages that a policy pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pin {
    /// No message. It stands alone.
    Nothing,
    /// The message that began the current run.
    Request,
    /// The first message written by a person.
    FirstUser,
    /// All messages written by a person.
    Users,
    /// This number of the newest messages written by a person.
    NewestUsers(u64),
    /// The newest messages written by a person that together have at most this number of tokens.
    UsersWithin(u64),
    /// This number of the first messages after the system prompt, with the results of their calls.
    FirstMessages(u64),
}

impl Pin {
    /// How policies write each of them, the default first.
    pub const FORMS: &[&str] =
        &["request", "first_user", "users", "newest N users", "users within N tokens", "first N messages", "none"];
    /// The words with which they begin.
    pub const WORDS: &[&str] = &["request", "first_user", "users", "newest", "first", "none"];

    /// The pin of one word.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "request" => Self::Request,
            "first_user" => Self::FirstUser,
            "users" => Self::Users,
            "none" => Self::Nothing,
            _ => return None,
        })
    }
}

/// As a policy writes it.
impl fmt::Display for Pin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => out.write_str("none"),
            Self::Request => out.write_str("request"),
            Self::FirstUser => out.write_str("first_user"),
            Self::Users => out.write_str("users"),
            Self::NewestUsers(count) => write!(out, "newest {count} users"),
            Self::UsersWithin(tokens) => write!(out, "users within {}", Quantity::whole(*tokens, Unit::Tokens)),
            Self::FirstMessages(count) => write!(out, "first {count} messages"),
        }
    }
}

/// Which messages an effect keeps as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pins {
    request: bool,
    first_user: bool,
    /// How many of the newest messages written by a person.
    newest_users: u64,
    /// The tokens of the newest messages written by a person.
    users_within: u64,
    /// How many of the first messages after the system prompt.
    first_messages: u64,
}

impl Pins {
    /// No message.
    pub const NONE: Self =
        Self { request: false, first_user: false, newest_users: 0, users_within: 0, first_messages: 0 };
    /// The request of the run, which every policy keeps unless it says otherwise.
    pub const REQUEST: Self = Self { request: true, ..Self::NONE };

    /// Returns all of these pins and that of the request, or `None` if there are none, or if [`Pin::Nothing`] is among others.
    pub fn of(pins: &[Pin]) -> Option<Self> {
        if pins.contains(&Pin::Nothing) {
            return pins.iter().all(|pin| *pin == Pin::Nothing).then_some(Self::NONE);
        }
        pins.iter().fold((!pins.is_empty()).then_some(Self::REQUEST), |all, pin| Some(all?.with(*pin)))
    }

    fn with(self, pin: Pin) -> Self {
        let all = match pin {
            Pin::Nothing | Pin::Request => self,
            Pin::FirstUser => Self { first_user: true, ..self },
            Pin::Users => Self { newest_users: u64::MAX, ..self },
            Pin::NewestUsers(count) => Self { newest_users: self.newest_users.max(count), ..self },
            Pin::UsersWithin(tokens) => Self { users_within: self.users_within.max(tokens), ..self },
            Pin::FirstMessages(count) => Self { first_messages: self.first_messages.max(count), ..self },
        };
        // The messages of persons include the first one and the newest ones, so those pins are left out.
        if all.newest_users == u64::MAX { Self { first_user: false, users_within: 0, ..all } } else { all }
    }

    /// The pins, that of the request last; empty for `pin none`.
    pub fn pins(self) -> Vec<Pin> {
        let users = match self.newest_users {
            0 => None,
            u64::MAX => Some(Pin::Users),
            count => Some(Pin::NewestUsers(count)),
        };
        let some = |number: u64, pin: fn(u64) -> Pin| (number > 0).then(|| pin(number));
        let all = [
            self.first_user.then_some(Pin::FirstUser),
            users,
            some(self.users_within, Pin::UsersWithin),
            some(self.first_messages, Pin::FirstMessages),
            self.request.then_some(Pin::Request),
        ];
        all.into_iter().flatten().collect()
    }
}

/// The pins as a policy writes them. `request` is left out beside other pins, since each of them includes it.
impl fmt::Display for Pins {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = self.pins();
        if all.len() > 1 {
            all.pop();
        }
        match all.as_slice() {
            [] => write!(out, "{}", Pin::Nothing),
            [one] => write!(out, "{one}"),
            several => {
                let several: Vec<String> = several.iter().map(ToString::to_string).collect();
                write!(out, "[{}]", several.join(", "))
            }
        }
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

    /// Whether a part of the message at an index is a text or an image of the request, which no edit of content changes.
    pub fn belongs_to_request(&self, at: usize, body: &Body) -> bool {
        matches!(body, Body::Text(_) | Body::Image { .. }) && self.request() == Some(at)
    }

    /// The index from which on messages of persons belong to the current run; that of the newest one if it is not known which
    /// message began the run.
    pub fn first_of_run(&self) -> usize {
        self.request().or_else(|| self.person_messages.last().copied()).unwrap_or(self.entries.len())
    }

    /// The pinned messages: whole groups.
    pub fn pinned_messages(&self, pins: Pins) -> PinnedMessages {
        let mut pinned = PinnedMessages::of_people(self.first_pinned_user(pins));
        let others = self.first_messages(pins.first_messages).into_iter();
        let others = others.chain(self.first_person_message().filter(|_| pins.first_user));
        pinned.add(self, others.chain(self.request().filter(|_| pins.request)));
        pinned
    }

    /// The index of the newest message written by a person before an index.
    pub fn person_before(&self, at: usize) -> Option<usize> {
        let before = self.person_messages.partition_point(|person| *person < at);
        before.checked_sub(1).map(|newest| self.person_messages[newest])
    }

    /// Returns the index from which on all messages of persons are pinned, or `None` if no newest ones are.
    fn first_pinned_user(&self, pins: Pins) -> Option<usize> {
        let people = &self.person_messages;
        let newest = usize::try_from(pins.newest_users).unwrap_or(usize::MAX).min(people.len());
        let within = match pins.users_within {
            0 => 0,
            most => {
                let first = self.person_sums.first_within(most);
                people.len() - people.partition_point(|at| *at < first)
            }
        };
        people.get(people.len() - newest.max(within)).copied()
    }

    /// The indices of the first messages besides system messages and summaries, and those of the rest of their groups.
    fn first_messages(&self, count: u64) -> Vec<usize> {
        let start = self.prompt_len();
        let counts = |at: &usize| !self.entries[*at].is_always_retained();
        let first = (start..self.entries.len()).filter(counts).take(usize::try_from(count).unwrap_or(usize::MAX));
        let first: Vec<usize> = first.collect();
        let Some(last) = first.last() else { return Vec::new() };
        let groups: HashSet<GroupId> = first.iter().map(|at| self.entries[*at].group).collect();
        let end = self.whole_groups_after(last + 1);
        (start..end).filter(|at| groups.contains(&self.entries[*at].group)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Arguments, Bytes, Message, Part, Role};

    fn pins(all: &[Pin]) -> Pins {
        Pins::of(all).expect("pins that go together")
    }

    fn indices(conversation: &Conversation, pins: Pins) -> Vec<usize> {
        let pinned = conversation.pinned_messages(pins);
        let all = pinned.within(conversation, 0..conversation.entries().len());
        assert!((0..conversation.entries().len()).all(|at| pinned.contains(conversation, at) == all.contains(&at)));
        all
    }

    #[test]
    fn pins_print_as_a_policy_writes_them() {
        let cases: [(&[Pin], &str); 9] = [
            (&[Pin::Nothing], "none"),
            (&[Pin::Request], "request"),
            (&[Pin::FirstUser], "first_user"),
            (&[Pin::Request, Pin::FirstUser, Pin::Request], "first_user"),
            (&[Pin::Users], "users"),
            (&[Pin::FirstUser, Pin::Users, Pin::UsersWithin(5)], "users"),
            (&[Pin::NewestUsers(2), Pin::NewestUsers(5)], "newest 5 users"),
            (&[Pin::UsersWithin(20_000)], "users within 20k tokens"),
            (&[Pin::FirstMessages(2), Pin::FirstUser], "[first_user, first 2 messages]"),
        ];
        for (all, text) in cases {
            assert_eq!(pins(all).to_string(), text);
            assert_eq!(pins(all) == Pins::NONE, pins(all).pins().is_empty());
        }
        for invalid in [&[Pin::Nothing, Pin::Request][..], &[Pin::Users, Pin::Nothing], &[]] {
            assert_eq!(Pins::of(invalid), None, "{invalid:?}");
        }
        for word in Pin::WORDS {
            let form = Pin::FORMS.iter().find(|form| form.split(' ').next() == Some(*word));
            assert_eq!(Pin::from_word(word).is_some(), form == Some(word), "{word}");
        }
    }

    #[test]
    fn the_request_is_pinned_until_it_is_gone() {
        let mut conversation = Conversation::default();
        let all = pins(&[Pin::FirstUser]);
        let (first, _) = conversation.push(Message::text(Role::User, "one"), &Bytes);
        conversation.set_request(Some(first));
        assert_eq!(indices(&conversation, all), [0], "the same message");
        conversation.push(Message::text(Role::Assistant, "done"), &Bytes);
        let (second, _) = conversation.push(Message::text(Role::User, "two"), &Bytes);
        conversation.set_request(Some(second));
        assert_eq!(indices(&conversation, all), [0, 2]);
        assert_eq!(indices(&conversation, Pins::REQUEST), [2]);
        assert_eq!(indices(&conversation, Pins::NONE), [0; 0]);
        conversation.reset();
        assert_eq!(indices(&conversation, all), [0; 0]);
    }

    #[test]
    fn users_and_first_messages_are_pinned_with_the_results_of_their_calls() {
        let mut conversation = Conversation::default();
        conversation.push(Message::text(Role::System, "a prompt"), &Bytes);
        conversation.push(Message::text(Role::User, "one"), &Bytes);
        let calls = ["a", "b"].map(|id| Part::call(id, "ls", Arguments::Text("{}".into())));
        conversation.push(Message::new(Role::Assistant, calls.to_vec()), &Bytes);
        conversation.push(Message::new(Role::Tool, vec![Part::result("a", "x", false)]), &Bytes);
        conversation.push(Message::text(Role::User, "second"), &Bytes);
        conversation.push(Message::new(Role::Tool, vec![Part::result("b", "x", false)]), &Bytes);
        conversation.push(Message::text(Role::User, "third"), &Bytes);
        let found = |all: &[Pin]| indices(&conversation, pins(all));
        assert_eq!(found(&[Pin::Users]), [1, 4, 6]);
        assert_eq!([found(&[Pin::NewestUsers(2)]), found(&[Pin::NewestUsers(9)])], [vec![4, 6], vec![1, 4, 6]]);
        assert_eq!([found(&[Pin::UsersWithin(10)]), found(&[Pin::UsersWithin(11)])], [vec![6], vec![4, 6]]);
        assert_eq!([found(&[Pin::FirstMessages(1)]), found(&[Pin::FirstMessages(2)])], [vec![1], vec![1, 2, 3, 5]]);
        assert_eq!(found(&[Pin::FirstMessages(1), Pin::NewestUsers(1)]), [1, 6]);
    }
}
