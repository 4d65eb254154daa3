//! The readers of the recording formats for single values: messages, blocks, usage and tools of one API, as JSON text.
//!
//! Requests of a live client are read with them, so that a message means the same in a request and in a recording.

use std::borrow::Cow;
use std::sync::Arc;

use trimtab_base::conversation::{Body, Message, Role, Usage};

use super::gemini_contents::part::PartReader;
pub use super::item::ItemKind;
use super::item::{self, Item};
use super::wire::{Indexed, Raw};
use super::{Tool, anthropic_messages, block, decode, gemini_contents, openai_chat, record, tool, wire};

/// Whether a value nests too deeply to be read.
pub fn is_deep(json: &str) -> bool {
    record::is_deep(json.as_bytes())
}

/// The offset of the closing quote of the string that opens at `open`.
pub fn string_end(json: &[u8], open: usize) -> usize {
    wire::string_end(json, open)
}

/// The text with U+FFFD in place of escaped lone surrogates. Offsets stay the same.
pub fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    decode::replace_lone_surrogates(Cow::Borrowed(json)).0
}

/// A message of the OpenAI Chat Completions API. Returns `None` when it has no role.
pub fn chat_message(json: &str) -> Option<Message> {
    of_json(json, openai_chat::parse_message)?
}

/// An element of the content of an OpenAI message, of either API.
pub fn openai_part(json: &str) -> Body {
    of_json(json, openai_chat::parse_part).unwrap_or_else(no_value)
}

/// What an item of the OpenAI Responses API is.
pub fn item_kind(json: &str) -> ItemKind {
    let json = without_lone_surrogates(json);
    of_json(&json, |raw| Some(Item::of(raw)?.kind())).flatten().unwrap_or(ItemKind::Pinned)
}

/// The content of an item of the OpenAI Responses API, part by part.
pub fn item_bodies(json: &str) -> Vec<Body> {
    let json = without_lone_surrogates(json);
    of_json(&json, |raw| Some(Item::of(raw)?.bodies())).flatten().unwrap_or_default()
}

/// The parts of a content of the OpenAI Responses API.
pub fn item_parts(json: &str) -> Vec<Body> {
    of_json(&without_lone_surrogates(json), item::parts).unwrap_or_default()
}

/// The messages in one message of the Anthropic Messages API. Returns `None` for an unknown role.
pub fn anthropic_messages(json: &str) -> Option<Vec<Message>> {
    of_json(json, anthropic_messages::parse_messages)?
}

/// A block of an Anthropic message.
pub fn anthropic_block(json: &str) -> Body {
    of_json(json, block::parse_block).unwrap_or_else(no_value)
}

/// The messages in a system prompt outside the list of messages.
pub fn system_messages(json: &str) -> Vec<Message> {
    of_json(json, |raw| block::parse_content(wire::parse_content(Some(raw))).into_messages(Role::System))
        .unwrap_or_default()
}

/// The open calls of a history in the Gemini API, where calls may lack an id. They tell the id of the next one, and which call
/// a result answers.
#[derive(Clone, Debug)]
pub struct UnnamedCalls(PartReader);

impl Default for UnnamedCalls {
    fn default() -> Self {
        Self(PartReader::of_client())
    }
}

impl UnnamedCalls {
    /// Reads the next messages of the history.
    pub fn observe(&mut self, messages: &[Arc<Message>]) {
        for message in messages {
            self.0.observe(message);
        }
    }
}

/// The messages in a content of the Gemini API, after a history with these calls. Returns `None` if it has no parts.
pub fn gemini_messages(json: &str, calls: &mut UnnamedCalls) -> Option<Vec<Message>> {
    of_json(json, |raw| gemini_contents::parse_content(raw, &mut calls.0))?
}

/// What a part of a content of the Gemini API is read as: reasoning that it has a signature of, and its own content.
pub fn gemini_bodies(json: &str) -> Vec<Body> {
    let json = without_lone_surrogates(json);
    of_json(&json, |raw| PartReader::default().bodies(raw)).unwrap_or_default()
}

/// The messages in a system instruction of the Gemini API.
pub fn gemini_system(json: &str) -> Vec<Message> {
    of_json(json, gemini_contents::parse_system).flatten().into_iter().collect()
}

/// Usage of the Gemini API.
pub fn gemini_usage(json: &str) -> Option<Usage> {
    plausible(of_json(json, |raw| gemini_contents::usage(Some(raw)))?)
}

/// Usage of the OpenAI Chat Completions API.
pub fn chat_usage(json: &str) -> Option<Usage> {
    plausible(of_json(json, |raw| openai_chat::parse_usage(Some(raw)))?)
}

/// Usage of the OpenAI Responses API.
pub fn responses_usage(json: &str) -> Option<Usage> {
    plausible(of_json(json, item::usage)?)
}

/// Usage of the Anthropic Messages API.
pub fn anthropic_usage(json: &str) -> Option<Usage> {
    plausible(of_json(json, |raw| block::usage(Some(raw)))?)
}

/// The tools in a list of declarations.
pub fn tools(json: &str) -> Vec<Tool> {
    of_json(json, |raw| tool::parse_tools(Some(raw))).unwrap_or_default()
}

/// Usage that a provider can have counted.
fn plausible(usage: Option<Usage>) -> Option<Usage> {
    usage.filter(|usage| usage.is_plausible())
}

/// What `convert` makes of a value; `None` if the text is not JSON.
fn of_json<T>(json: &str, convert: impl FnOnce(Raw<'_>) -> T) -> Option<T> {
    Indexed::of(json).map(|json| convert(json.raw()))
}

fn no_value() -> Body {
    Body::Other(Box::default())
}
