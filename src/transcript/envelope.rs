//! What stands around the messages of a chat recording, whichever provider's messages they are.
//!
//! In: the text of a file. Out: its conversations, each with its unread messages and what is said about them.

use serde::Deserialize;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::record::{self, Skipped};
use super::sample;
use super::wire::{self, Count, List, Str};
use super::{ReadError, Transcript, error, tool, usual_model};
use crate::conversation::{Message, Role, Usage};

/// A conversation whose messages are unread.
#[derive(Debug, Default)]
pub(super) struct Conversation<'a> {
    pub(super) head: Head<'a>,
    pub(super) messages: Vec<&'a RawValue>,
}

impl Conversation<'_> {
    /// Leaves out what nests too deeply to be followed.
    fn leave_out_deep(&mut self, skipped: &mut Skipped) {
        self.messages.retain(|raw| skipped.takes(raw.get()));
        let head = &mut self.head;
        for piece in [&mut head.response, &mut head.system, &mut head.system_prompt, &mut head.tools] {
            *piece = piece.filter(|raw| skipped.takes(raw.get()));
        }
    }
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
    messages: List<'a>,
    #[serde(borrow)]
    history: List<'a>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
    #[serde(borrow)]
    role: Str<'a>,
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
}

impl Head<'_> {
    fn has_list(&self) -> bool {
        self.messages.0.is_some() || self.history.0.is_some()
    }

    /// The object that holds the messages: this one, or the request in it, which then takes over the response.
    fn holder(self) -> Option<Self> {
        if self.has_list() {
            return Some(self);
        }
        let inner: Self = self.request.or(self.body).and_then(wire::object).filter(Self::has_list)?;
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

/// Reads every conversation of a file; what is skipped is counted with the first of them.
pub(super) fn transcripts(
    format: &str,
    text: &str,
    read: fn(&Conversation<'_>, &mut Skipped) -> Transcript,
) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut conversations = conversations(text, &mut skipped);
    for conversation in &mut conversations {
        conversation.leave_out_deep(&mut skipped);
    }
    let mut transcripts: Vec<_> = conversations.iter().map(|one| read(one, &mut skipped)).collect();
    let first = transcripts.first_mut().ok_or_else(|| error::no_record(format, text))?;
    first.skipped = skipped.0;
    Ok(transcripts)
}

/// The conversations of a file: objects and lists of messages one each, bare messages together as one.
fn conversations<'a>(text: &'a str, skipped: &mut Skipped) -> Vec<Conversation<'a>> {
    let records: Vec<&RawValue> = match sample::whole::<Vec<&RawValue>>(text, '[') {
        Some(messages) if messages.first().is_some_and(|first| is_message(first)) => {
            return vec![Conversation { messages, ..Conversation::default() }];
        }
        Some(items) => items,
        None => match sample::whole::<Head<'_>>(text, '{').map(Record::of_head) {
            Some(Record::Conversation(conversation)) => return vec![*conversation],
            Some(Record::Other(kind)) => {
                skipped.count(&kind);
                return Vec::new();
            }
            Some(Record::Message) => sample::whole(text, '{').into_iter().collect(),
            None => lines(text, skipped),
        },
    };
    let mut conversations: Vec<Conversation<'a>> = Vec::new();
    let mut bare: Option<usize> = None;
    for raw in records {
        match Record::of(raw) {
            Record::Conversation(conversation) => conversations.push(*conversation),
            Record::Message => {
                let at = *bare.get_or_insert(conversations.len());
                if at == conversations.len() {
                    conversations.push(Conversation::default());
                }
                conversations[at].messages.push(raw);
            }
            Record::Other(kind) => skipped.count(&kind),
        }
    }
    conversations
}

fn lines<'a>(text: &'a str, skipped: &mut Skipped) -> Vec<&'a RawValue> {
    let lines = record::lines(text);
    let number = lines.len();
    let read: Vec<&RawValue> = lines.into_iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    skipped.add(record::BROKEN, (number - read.len()) as u64);
    read
}

/// Whether it is a message and not an object around messages.
fn is_message(raw: &RawValue) -> bool {
    matches!(Record::of(raw), Record::Message)
}

/// What a record of the file is.
enum Record<'a> {
    Conversation(Box<Conversation<'a>>),
    Message,
    Other(String),
}

impl<'a> Record<'a> {
    fn of(raw: &'a RawValue) -> Self {
        if wire::is_array(raw) {
            return Self::Conversation(Box::new(Conversation {
                messages: wire::elements(raw),
                ..Conversation::default()
            }));
        }
        wire::object(raw).map_or_else(|| Self::Other("not an object".to_owned()), Self::of_head)
    }

    fn of_head(head: Head<'a>) -> Self {
        if head.role.get().is_some() && !head.has_list() {
            return Self::Message;
        }
        let kind = head.kind.get().unwrap_or("record without messages").to_owned();
        let Some(mut head) = head.holder() else { return Self::Other(kind) };
        let messages = head.messages.0.take().or_else(|| head.history.0.take()).unwrap_or_default();
        Self::Conversation(Box::new(Conversation { head, messages }))
    }
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

/// The first of several fields that holds a name.
pub(super) fn first_name(words: &[&Str<'_>]) -> Option<SmolStr> {
    words.iter().find_map(|word| word.name())
}
