//! Messages of the OpenAI Chat Completions API, which many other tools write too.
//!
//! A file is a list of messages, an object with `messages` or `history`, or JSON lines of these or of single messages.
//! `developer` counts as `system` and `human` as `user`. An unknown role is taken as the name of an agent, and its
//! message as a reply.

pub(super) mod message;
mod stored_context;

use serde::Deserialize;
use trimtab_base::conversation::{Message, Role, Service, Tier, Usage};

use super::record::Skipped;
use super::request_records::RecordApi;
use super::sample::{Sample, ShallowValue};
use super::wire::Raw;
use super::{Format, Quirk, Reader, Transcript, envelope, time, wire};
pub(super) use message::{parse_call, parse_message, parse_part, parse_usage};

/// Requests, responses and messages of the OpenAI Chat Completions API.
pub(super) static OPENAI_CHAT: Format = Format {
    name: "openai_chat",
    title: "OpenAI chat",
    summary: "a list of messages, an object with `messages` or `history`, or JSON lines of either",
    sniff,
    reader: Reader::Records(RecordApi {
        is_response: |response| response.has("choices"),
        is_message: has_own_field,
        goes_first: true,
        read: read_conversation,
    }),
    line: Some(envelope::line),
    quirks: &[Quirk::UnmarkedErrors],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.messages().iter().any(is_chat_message)
}

/// Whether a message has a field or a role that it has in no other API.
pub(super) fn has_own_field(message: &ShallowValue<'_>) -> bool {
    message.has("tool_calls") || message.string("role").as_deref() == Some("tool")
}

fn is_chat_message(message: &ShallowValue<'_>) -> bool {
    let has_content = ["content", "tool_calls", "function_call"].iter().any(|key| message.has(key));
    message.string("role").is_some() && has_content && !message.has("parts") && !message.has("turn_idx")
}

fn read_conversation(conversation: &envelope::RawConversation<'_>, skipped: &mut Skipped) -> Transcript {
    let envelope = &conversation.envelope;
    let mut messages = Vec::new();
    for raw in &conversation.messages {
        match parse_message(*raw) {
            Some(message) => messages.push(stored_context::mark(message, *raw)),
            None => skipped.count("message without a role"),
        }
    }
    let response: Response<'_> = wire::parse_or_default(envelope.response);
    let reply = response.reply();
    envelope.count_unread_response(reply.as_ref(), skipped);
    let usage = response.usage().filter(|_| reply.is_some());
    let usage = usage.or_else(|| parse_usage(envelope.usage).map(|usage| response.with_tier(usage)));
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
        parse_usage(self.usage).map(|usage| self.with_tier(usage))
    }

    /// The usage with the tier that the response states.
    fn with_tier(&self, usage: Usage) -> Usage {
        let tier = self.service_tier.non_empty().map_or(usage.service.tier, |tier| Tier::named(&tier));
        Usage { service: Service { tier, ..usage.service }, ..usage }
    }
}

#[cfg(test)]
mod tests;
