//! What a dialect states about itself, so that no other file needs to know which one a request has.

use std::borrow::Cow;

use trimtab_base::conversation::{Message, Role, Usage};
use trimtab_recordings::transcript::api::UnnamedCalls;

use crate::request::error::RequestError;
use crate::request::json::{Node, Slot};
use crate::request::outline::{Change, NewMessage};
use crate::request::render::content::Blocks;
use crate::request::stream::assembler::Assembler;

/// The key of the list of tools in a body.
pub(in crate::request) const TOOLS_KEY: &str = "tools";

/// How the JSON of a dialect is read and written.
#[derive(Debug)]
pub(in crate::request) struct Form {
    /// The key of the list in a body.
    pub(in crate::request) list_key: &'static str,
    /// A new element that stands for a prompt, which is a text in place of the list, or `None` if the dialect has no
    /// prompts.
    pub(in crate::request) prompt_element: Option<fn(&Node<'_>) -> String>,
    /// The keys of the system prompt beside the list, the usual one first.
    pub(in crate::request) system_keys: &'static [&'static str],
    /// The messages in a system prompt beside the list.
    pub(in crate::request) system: fn(&str) -> Vec<Message>,
    /// The key of the blocks in a system prompt that is an object.
    pub(in crate::request) system_list_key: Option<&'static str>,
    /// How the blocks of elements and of the system prompt are read and written.
    pub(in crate::request) blocks: &'static Blocks,
    /// What system messages in the list mean.
    pub(in crate::request) system_elements: SystemElements,
    /// The keys of a request that continues what the server has stored.
    pub(in crate::request) continuation_keys: &'static [&'static str],
    /// The type of an element with which a client asks the provider to compact the conversation.
    pub(in crate::request) compaction_element: Option<&'static str>,
    /// How likely it is that a body is of the dialect.
    pub(in crate::request) evidence: fn(&Node<'_>) -> Evidence,
    /// The number of elements at the beginning that are read together. `None` if each element is read by itself.
    pub(in crate::request) reply_length: Option<fn(&[Node<'_>]) -> usize>,
    /// The messages of elements that are read together. The error says what was expected.
    pub(in crate::request) read: fn(&[Node<'_>], &mut UnnamedCalls) -> Result<Vec<Message>, &'static str>,
    /// Whether calls may lack an id, so that what an element means depends on those before it.
    pub(in crate::request) has_unnamed_calls: bool,
    /// A new message as an element of the list, or `None` if the dialect does not allow its text. The flag says whether
    /// the client itself sends system messages in the list.
    pub(in crate::request) new_element: fn(NewMessage<'_>, bool) -> Option<String>,
    /// Adds the elements of a unit whose messages are edited, removed or divided.
    pub(in crate::request) rewrite: fn(&EditedUnit<'_>, &mut Vec<Slot>),
    /// Moves the elements of a list to places that the API takes, given the elements of the request and whether they have
    /// system messages.
    pub(in crate::request) place: Option<Place>,
    /// The keys of the functions in an element of the list of tools that is a group of them, the usual one first.
    pub(in crate::request) tool_group_keys: &'static [&'static str],
    /// The keys of a choice between tools, which a body without tools does not have.
    pub(in crate::request) tool_choice_keys: &'static [&'static str],
    /// The declaration of a tool with this name, description and schema.
    pub(in crate::request) tool: fn(&str, &str, &serde_json::value::RawValue) -> serde_json::Value,
    /// The message of the model in a response body, or a message alone.
    pub(in crate::request) reply: fn(&Node<'_>, &mut UnnamedCalls) -> Result<Message, RequestError>,
    /// The key of the model in a response body.
    pub(in crate::request) reply_model_key: &'static str,
    /// The key of the usage in a response body.
    pub(in crate::request) usage_key: &'static str,
    /// Reads the usage.
    pub(in crate::request) usage: fn(&str) -> Option<Usage>,
    /// Puts the events of a stream together.
    pub(in crate::request) assembler: fn() -> Box<dyn Assembler>,
    /// Whether a stream may be a JSON list of events.
    pub(in crate::request) streams_lists: bool,
}

/// Moves the elements of a list.
pub(in crate::request) type Place = fn(&[Node<'_>], bool, Vec<Slot>) -> Vec<Slot>;

/// What system messages in a list mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::request) enum SystemElements {
    /// They are the system prompt.
    Prompt,
    /// They and a system prompt beside the list are read.
    Beside,
    /// They are unusual. One at the beginning of the list takes precedence over a system prompt beside it, like in the
    /// readers of recordings.
    Instead,
}

/// How likely it is that a body is of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::request) enum Evidence {
    None,
    /// It has what only few other dialects have.
    Some,
    /// It has what no other dialect has.
    Own,
}

/// Whether a body declares a tool with a key.
pub(super) fn declares_tool_with(body: &Node<'_>, key: &str) -> bool {
    let tools = body.get(TOOLS_KEY).map(|tools| tools.elements()).unwrap_or_default();
    tools.iter().any(|tool| tool.get(key).is_some())
}

/// Elements that are read together, with what becomes of their messages.
#[derive(Debug)]
pub(in crate::request) struct EditedUnit<'a> {
    /// The elements, each with its index in the list and its text without lone surrogates.
    pub(in crate::request) elements: Vec<(usize, Cow<'a, str>)>,
    pub(in crate::request) messages: Vec<EditedMessage<'a>>,
}

/// What becomes of a message.
#[derive(Debug)]
pub(in crate::request) struct EditedMessage<'a> {
    pub(in crate::request) role: Role,
    /// Whether it is sent.
    pub(in crate::request) is_kept: bool,
    /// What becomes of each part. Empty if nothing is edited.
    pub(in crate::request) changes: Vec<Change<'a>>,
    /// New elements that come before it. Those before the first message of a unit are not among them.
    pub(in crate::request) new_before: Vec<String>,
}
