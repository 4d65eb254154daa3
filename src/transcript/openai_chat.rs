//! OpenAI chat messages, which many other tools write too.
//!
//! Lists, objects with `messages` or `history`, and JSONL of these or of bare messages. `developer` is the system;
//! `human` is a user; a role that is none of the known ones is the name of an agent, and its message a reply.

mod message;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::record::Skipped;
use super::wire;
use super::{Format, Peek, ReadError, Sample, Transcript, block, envelope};
use crate::conversation::{Message, Role};

/// Messages of the chat completions API.
pub(super) static OPENAI_CHAT: Format = Format {
    name: "openai_chat",
    summary: "OpenAI chat messages: a list, an object with `messages` or `history`, or JSONL of either",
    sniff,
    read,
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.messages().iter().any(is_own)
}

fn is_own(message: &Peek<'_>) -> bool {
    let says = ["content", "tool_calls", "function_call"].iter().any(|key| message.has(key));
    message.word("role").is_some() && says && !message.has("parts") && !message.has("turn_idx")
}

fn read(text: &str) -> Result<Vec<Transcript>, ReadError> {
    envelope::transcripts("openai_chat", text, transcript)
}

fn transcript(conversation: &envelope::Conversation<'_>, skipped: &mut Skipped) -> Transcript {
    let head = &conversation.head;
    let mut messages = Vec::new();
    for raw in &conversation.messages {
        match message::read(raw) {
            Some(message) => messages.push(message),
            None => skipped.count("message without a role"),
        }
    }
    let response: Response<'_> = wire::parse_or_default(head.response);
    let reply = response.reply();
    let usage = message::usage(response.usage).or_else(|| message::usage(head.usage));
    envelope::add_reply(&mut messages, reply, usage);
    let system = head.system.or(head.system_prompt).filter(|raw| !wire::is_object(raw));
    envelope::add_system(&mut messages, block::content(wire::parse_content(system)).into_messages(Role::System));
    head.transcript(messages)
}

/// A response that was logged beside its request.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    choices: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    model: wire::Str<'a>,
}

impl Response<'_> {
    fn reply(&self) -> Option<Message> {
        let choice: wire::Fields<'_> = wire::object(wire::first_elements(self.choices?.get(), 1).pop()?)?;
        let reply = message::read(choice.get("message")?)?;
        Some(Message { model: reply.model.clone().or_else(|| self.model.name()), ..reply })
    }
}

#[cfg(test)]
mod tests;
