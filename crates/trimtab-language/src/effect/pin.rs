//! `pin`, and with it `keep_latest`: messages that an effect keeps as they are.

use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, PinnedMessages, Pins, Role};

use super::label::Handle;
use super::latest::{LatestCache, LatestTools};
use super::{Argument, Arguments, Label, LabelDefault, LabelRole, Shape};

/// `pin` for these targets; for every target if there are none.
pub(super) const fn pin(targets: &'static [&'static str]) -> Handle<Pins> {
    Handle {
        label: Label {
            role: Some(LabelRole::Pin),
            targets,
            default: LabelDefault::Pins(Pins::REQUEST),
            ..Label::new(
                "pin",
                Shape::Pins,
                "Messages that stay as they are: `request` is the message that began the run, `first_user` the first message \
                 written by a person, `users` all of these, `newest N users` the newest ones, `users within N tokens` the \
                 newest ones that fit, `first N messages` those after the system prompt, `none` no message. All but `none` \
                 include `request`.",
            )
        },
        read: |value| match value {
            Some(Argument::Pins(pins)) => *pins,
            _ => Pins::NONE,
        },
    }
}

/// The messages that an effect neither removes nor summarises.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeptMessages {
    pins: Pins,
    latest: Option<Arc<LatestTools>>,
}

impl KeptMessages {
    pub(super) fn new(arguments: &Arguments, pins: &Handle<Pins>) -> Self {
        Self { pins: pins.get(arguments), latest: LatestTools::new(arguments) }
    }

    /// The arguments that select them: the pins and the tools.
    pub(super) fn key(&self) -> (Pins, Arc<[SmolStr]>) {
        (self.pins, self.latest.as_ref().map(|tools| Arc::clone(tools.names())).unwrap_or_default())
    }

    /// The messages: whole groups.
    pub(super) fn of(&self, conversation: &Conversation, latest: &LatestCache) -> PinnedMessages {
        let mut kept = conversation.pinned_messages(self.pins);
        kept.add(conversation, self.latest_of(conversation, latest));
        kept
    }

    /// The kept messages, and the newest message of a person before each of them that is not a user message, because a
    /// conversation begins with a user message.
    pub(super) fn with_users(&self, conversation: &Conversation, latest: &LatestCache) -> PinnedMessages {
        let mut kept = self.of(conversation, latest);
        let users = users_before(conversation, kept.others());
        kept.add(conversation, users);
        kept
    }

    /// The newest results that stay, with their calls, and the newest message of a person before each group. If there is none, it is
    /// the user message that the conversation begins with, since a request begins with one. A summary is sent in any case.
    pub(super) fn latest_with_users(&self, conversation: &Conversation, latest: &LatestCache) -> Vec<usize> {
        let mut kept = self.latest_of(conversation, latest);
        let is_user = |at: &usize| conversation.entries()[*at].role() == Role::User;
        let is_sent_anyway = |at: &usize| conversation.entries()[*at].is_always_retained();
        let is_there = |at: &usize| *at < conversation.entries().len();
        let first = Some(conversation.prompt_len()).filter(is_there).filter(is_user).filter(|at| !is_sent_anyway(at));
        let before = |at: &usize| conversation.person_before(*at).or(first);
        let users: Vec<usize> = kept.iter().filter(|at| !is_user(at)).filter_map(before).collect();
        kept.extend(users);
        kept
    }

    /// The indices of the newest results that stay, with their groups.
    fn latest_of(&self, conversation: &Conversation, latest: &LatestCache) -> Vec<usize> {
        let newest = self.latest.as_ref().map(|tools| latest.newest(tools, conversation)).unwrap_or_default();
        newest.into_iter().flat_map(|at| conversation.group_members(at)).collect()
    }

    /// The pins.
    pub(super) const fn pins(&self) -> Pins {
        self.pins
    }
}

/// The newest message of a person before each message that is not a user message.
fn users_before(conversation: &Conversation, messages: &[usize]) -> Vec<usize> {
    let follows = |at: &&usize| conversation.entries()[**at].role() != Role::User;
    messages.iter().filter(follows).filter_map(|at| conversation.person_before(*at)).collect()
}
