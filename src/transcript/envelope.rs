//! What stands around the messages of a chat recording, whichever provider's messages they are.
//!
//! In: the text of a file. Out: its conversations, each with its unread messages and what is said about them.

use serde::Deserialize;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::record::{self, Skipped};
use super::wire::{self, Count, Str};
use super::{Peek, Sample, Transcript, tool, usual_model};
use crate::conversation::{Message, Role, Usage};

/// How many messages are looked at to tell providers apart.
const MESSAGES: usize = 60;

/// A conversation whose messages are unread.
#[derive(Debug, Default)]
pub(super) struct Conversation<'a> {
    pub(super) head: Head<'a>,
    pub(super) messages: Vec<&'a RawValue>,
}

/// The object around the messages; empty around bare ones.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(borrow)]
    conversation_id: Str<'a>,
    #[serde(borrow)]
    session_id: Str<'a>,
    #[serde(borrow, rename = "sessionId")]
    session: Str<'a>,
    #[serde(borrow)]
    custom_id: Str<'a>,
    #[serde(borrow)]
    model: Str<'a>,
    context_window: Count,
    #[serde(borrow)]
    pub(super) system: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) system_prompt: Option<&'a RawValue>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    functions: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    #[serde(borrow)]
    history: Option<&'a RawValue>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
    #[serde(borrow)]
    role: Str<'a>,
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
}

impl<'a> Head<'a> {
    fn list(&self) -> Option<&'a RawValue> {
        [self.messages, self.history].into_iter().flatten().find(|raw| wire::is_array(raw))
    }

    /// The object that holds the messages: this one, or the request in it, which then takes over the response.
    fn holder(self) -> Option<Self> {
        if self.list().is_some() {
            return Some(self);
        }
        let inner: Self = self.request.or(self.body).and_then(wire::parse)?;
        inner.list()?;
        let custom_id = self.custom_id;
        Some(Self { response: inner.response.or(self.response), usage: inner.usage.or(self.usage), custom_id, ..inner })
    }

    /// The transcript of these messages.
    pub(super) fn transcript(&self, messages: Vec<Message>) -> Transcript {
        let ids = [&self.conversation_id, &self.session_id, &self.session, &self.custom_id, &self.id];
        let messages: Vec<_> = messages.into_iter().map(Into::into).collect();
        Transcript {
            id: ids.into_iter().find_map(Str::get).unwrap_or_default().to_owned(),
            model: self.model.name().or_else(|| usual_model(&messages)),
            window: self.context_window.0.filter(|window| *window > 0),
            tools: tool::read_all(self.tools.or(self.functions)),
            started: messages.iter().find_map(|message| message.at.clone()),
            messages,
            ..Transcript::default()
        }
    }
}

/// The conversations of a file: objects and lists of messages one each, bare messages together as one.
pub(super) fn conversations<'a>(text: &'a str, skipped: &mut Skipped) -> Vec<Conversation<'a>> {
    let mut conversations: Vec<Conversation<'a>> = Vec::new();
    let mut bare: Option<usize> = None;
    for text in record::records(text) {
        let Ok(raw) = serde_json::from_str::<&RawValue>(text) else {
            skipped.count(record::BROKEN);
            continue;
        };
        if wire::is_array(raw) {
            conversations.push(Conversation { messages: wire::elements(raw), ..Conversation::default() });
            continue;
        }
        let Some(head) = Some(raw).filter(|raw| wire::is_object(raw)).and_then(wire::parse::<Head<'_>>) else {
            skipped.count("not an object");
            continue;
        };
        if head.role.get().is_some() && head.list().is_none() {
            let at = *bare.get_or_insert_with(|| {
                conversations.push(Conversation::default());
                conversations.len() - 1
            });
            conversations[at].messages.push(raw);
            continue;
        }
        let kind = head.kind.get().unwrap_or("record without messages").to_owned();
        match head.holder() {
            Some(head) => {
                let messages = head.list().map(wire::elements).unwrap_or_default();
                conversations.push(Conversation { head, messages });
            }
            None => skipped.count(&kind),
        }
    }
    conversations
}

/// Adds the reply to what was recorded as a request, unless it already stands at the end; its usage is the reply's.
pub(super) fn add_reply(messages: &mut Vec<Message>, reply: Option<Message>, usage: Option<Usage>) {
    if let Some(reply) = reply {
        let stands = messages.last().is_some_and(|last| last.role == reply.role && last.parts == reply.parts);
        if !stands {
            messages.push(reply);
        }
    }
    let last = messages.iter_mut().rev().find(|message| message.role == Role::Assistant);
    if let (Some(last), Some(usage)) = (last, usage) {
        last.usage = Some(usage);
    }
}

/// Puts the system prompt first, unless the messages bring one.
pub(super) fn add_system(messages: &mut Vec<Message>, system: Vec<Message>) {
    if messages.first().is_none_or(|first| first.role != Role::System) {
        messages.splice(0..0, system);
    }
}

/// The objects around the messages that a first look sees.
pub(super) fn heads<'s, 'a>(sample: &'s Sample<'a>) -> impl Iterator<Item = &'s Peek<'a>> {
    sample.records().iter().filter(|record| record.has("messages") || record.has("history"))
}

/// The messages that a first look sees.
pub(super) fn messages<'a>(sample: &Sample<'a>) -> Vec<Peek<'a>> {
    let mut messages = Vec::new();
    for record in sample.records() {
        add_messages(record, 2, &mut messages);
        if messages.len() >= MESSAGES {
            break;
        }
    }
    messages
}

/// Lists may hold messages, objects around messages, or lists again.
fn add_messages<'a>(record: &Peek<'a>, depth: usize, messages: &mut Vec<Peek<'a>>) {
    let list = || ["messages", "history"].iter().find_map(|key| record.at(key));
    let inner = || ["request", "body"].iter().find_map(|key| record.at(key));
    if record.is_array() && depth > 0 {
        for item in record.items(MESSAGES) {
            add_messages(&item, depth - 1, messages);
        }
    } else if let Some(list) = list() {
        messages.extend(list.items(MESSAGES));
    } else if record.word("role").is_some() {
        messages.push(record.clone());
    } else if let Some(inner) = inner().filter(|_| depth > 0) {
        add_messages(&inner, 0, messages);
    }
}

/// A name to keep, such as a model's.
pub(super) fn first_name(words: &[&Str<'_>]) -> Option<SmolStr> {
    words.iter().find_map(|word| word.name())
}
