//! Messages of the OpenAI Chat Completions API, which many other tools write too.
//!
//! A file is a list of messages, an object with `messages` or `history`, or JSON lines of these or of single messages.
//! `developer` counts as `system` and `human` as `user`. An unknown role is taken as the name of an agent, and its
//! message as a reply.

pub(super) mod message;

use serde::Deserialize;
use trimtab_base::conversation::{Message, Role, Service, Tier, Usage};

use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::Raw;
use super::{Format, ReadError, Transcript, envelope, time, wire};
pub(super) use message::{parse_call, parse_message, parse_piece, parse_usage};

/// Requests, responses and messages of the OpenAI Chat Completions API.
pub(super) static OPENAI_CHAT: Format = Format {
    name: "openai_chat",
    title: "OpenAI chat",
    summary: "a list of messages, an object with `messages` or `history`, or JSON lines of either",
    sniff,
    read,
    line: Some(envelope::line),
    is_log: Some(is_log),
    marks_errors: false,
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.messages().iter().any(is_chat_message)
}

fn is_chat_message(message: &ShallowValue<'_>) -> bool {
    let has_content = ["content", "tool_calls", "function_call"].iter().any(|key| message.has(key));
    message.string("role").is_some() && has_content && !message.has("parts") && !message.has("turn_idx")
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    envelope::read_transcripts("openai_chat", input, read_conversation)
}

fn is_log(input: &Input<'_>) -> bool {
    envelope::is_log(input, read_conversation)
}

fn read_conversation(conversation: &envelope::RawConversation<'_>, skipped: &mut Skipped) -> Transcript {
    let envelope = &conversation.envelope;
    let mut messages = Vec::new();
    for raw in &conversation.messages {
        match parse_message(*raw) {
            Some(message) => messages.push(message),
            None => skipped.count("message without a role"),
        }
    }
    let response: Response<'_> = wire::parse_or_default(envelope.response);
    let reply = response.reply();
    if reply.is_none() && envelope.response.is_some() {
        skipped.count(envelope::UNKNOWN_RESPONSE);
    }
    let usage = response.usage().filter(|_| reply.is_some()).or_else(|| parse_usage(envelope.usage));
    envelope.append_reply(&mut messages, reply, usage);
    let system = envelope.system.or(envelope.system_prompt).filter(|raw| !raw.is_object());
    envelope::prepend_system(&mut messages, system);
    envelope.transcript(messages)
}

/// A response logged with its request.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    choices: Option<Raw<'a>>,
    usage: Option<Raw<'a>>,
    model: wire::Str<'a>,
    created: Option<Raw<'a>>,
    service_tier: wire::Str<'a>,
}

impl Response<'_> {
    fn reply(&self) -> Option<Message> {
        let choice: wire::Fields<'_> = self.choices?.elements().next()?.object()?;
        let reply = parse_message(choice.get("message")?).filter(|message| message.role == Role::Assistant)?;
        let model = reply.model.clone().or_else(|| self.model.non_empty());
        let at = reply.at.clone().or_else(|| self.created.and_then(time::parse));
        Some(Message { model, at, ..reply })
    }

    fn usage(&self) -> Option<Usage> {
        let usage = parse_usage(self.usage)?;
        let tier = self.service_tier.non_empty().map_or(usage.service.tier, |tier| Tier::named(&tier));
        Some(Usage { service: Service { tier, ..usage.service }, ..usage })
    }
}

#[cfg(test)]
mod tests;
