//! The parts of Gemini contents, which Gemini CLI writes into its sessions too.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::Deserialize;
use smol_str::{SmolStr, format_smolstr};
use trimtab_base::conversation::{Body, Message, Part, ToolResult};

use crate::transcript::block::{self, SplitContent};
use crate::transcript::image;
use crate::transcript::wire::{self, Content, Fields, Flag, List, Raw, Str, Text};

/// The prefixes of user messages that Gemini CLI writes.
const HARNESS_PREFIXES: [&str; 5] = [
    "<session_context>",
    "<state_snapshot>",
    "This is the Gemini CLI. We are setting up the context",
    "System: Please continue.",
    "Please continue.",
];

/// Reads parts, and remembers open calls. Older recordings have no ids: a result answers the first open call of the same
/// tool.
#[derive(Clone, Debug, Default)]
pub(in crate::transcript) struct PartReader {
    /// The calls without a result. Most results come in the order of their calls, so that the first one is the one that is answered.
    open: VecDeque<OpenCall>,
    /// The number of calls without a recorded id.
    unnamed: usize,
    /// Whether ids that the client has made up are no ids.
    drops_made_up: bool,
}

/// A call without a result.
#[derive(Clone, Debug)]
struct OpenCall {
    id: SmolStr,
    /// The id that was recorded or sent; empty if it is not known.
    sent: SmolStr,
    tool: SmolStr,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WirePart<'a> {
    text: Text,
    thought: Flag,
    #[serde(borrow, alias = "thought_signature")]
    thought_signature: Str<'a>,
    #[serde(alias = "function_call")]
    function_call: Option<Raw<'a>>,
    #[serde(alias = "function_response")]
    function_response: Option<Raw<'a>>,
    #[serde(alias = "inline_data")]
    inline_data: Option<Raw<'a>>,
    #[serde(alias = "file_data")]
    file_data: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    name: Str<'a>,
    args: Option<Raw<'a>>,
    response: Option<Raw<'a>>,
    parts: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Media<'a> {
    #[serde(borrow, alias = "mime_type")]
    mime_type: Str<'a>,
    data: Str<'a>,
    #[serde(alias = "file_uri")]
    file_uri: Str<'a>,
}

impl PartReader {
    /// A reader of what a live client sends: a call that came without an id has none, also if the client has made one up for it
    /// since, so that it is the same call in the reply and in the next request.
    pub(in crate::transcript) fn of_client() -> Self {
        Self { drops_made_up: true, ..Self::default() }
    }

    /// Reads parts: a text, a part, or a list of both.
    pub(in crate::transcript) fn parts(&mut self, content: Content<'_>) -> SplitContent {
        let mut split = SplitContent::default();
        match content {
            Content::None => {}
            Content::Text(text) => add_text(&mut split, text),
            Content::List(parts) => {
                for raw in parts {
                    match raw.text() {
                        Some(text) => add_text(&mut split, text),
                        None => self.add_part(&mut split, raw),
                    }
                }
            }
            Content::Fields(fields) => split.rest.push(Part::new(other(fields.value()))),
        }
        split
    }

    /// What a part, or a text in place of one, is read as.
    pub(in crate::transcript) fn bodies(&mut self, raw: Raw<'_>) -> Vec<Body> {
        let split = self.parts(Content::List(vec![raw]));
        let results = split.results.into_iter().map(|result| Body::ToolResult(Box::new(result)));
        split.rest.into_iter().map(|part| part.body).chain(results).collect()
    }

    fn add_part(&mut self, split: &mut SplitContent, raw: Raw<'_>) {
        let Some(part) = raw.object::<WirePart<'_>>() else {
            return split.rest.push(Part::new(other(raw.value())));
        };
        let signature = part.thought_signature.get().filter(|text| !text.is_empty());
        // The signature of a call or of a text stands for the reasoning before it.
        let is_thought = part.thought.0;
        if let Some(signature) = signature.filter(|_| !is_thought) {
            split.rest.push(Part::new(Body::Thinking { text: Arc::default(), signature: Some(signature.into()) }));
        }
        if let Some(function) = part.function_call.and_then(Raw::object::<Function<'_>>) {
            split.rest.push(Part::new(self.call(function.id.as_str(), function.name.as_str(), function.args)));
        } else if let Some(function) = part.function_response.and_then(Raw::object::<Function<'_>>) {
            split.results.push(self.result(&function));
        } else if let Some(text) = part.text.0 {
            let signature = signature.filter(|_| is_thought).map(Into::into);
            if is_thought {
                split.rest.push(Part::new(Body::Thinking { text, signature }));
            } else {
                add_text(split, text);
            }
        } else {
            let data =
                part.inline_data.or(part.file_data).and_then(Raw::object).and_then(|media: Media<'_>| media.image());
            split.rest.push(Part::new(data.unwrap_or_else(|| other(raw.value()))));
        }
    }

    /// A call. One without an id gets one.
    pub(in crate::transcript) fn call(&mut self, id: &str, name: &str, args: Option<Raw<'_>>) -> Body {
        let sent = SmolStr::new(id);
        let is_unnamed = id.is_empty() || self.drops_made_up && is_made_up(id, name);
        let id = if is_unnamed { self.next_id() } else { sent.clone() };
        self.unnamed += usize::from(is_unnamed);
        let name = SmolStr::new(name);
        self.open.push_back(OpenCall { id: id.clone(), sent, tool: name.clone() });
        Body::ToolCall { id, name, arguments: wire::arguments(args) }
    }

    /// The id of the next call that has none.
    fn next_id(&self) -> SmolStr {
        format_smolstr!("call-{}", self.unnamed + 1)
    }

    /// Whether an id is one that a reader generates, such as `call-1`.
    pub(in crate::transcript) fn is_generated_id(id: &str) -> bool {
        let number = id.strip_prefix("call-");
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Records a message that was read before.
    pub(in crate::transcript) fn observe(&mut self, message: &Message) {
        for part in &message.parts {
            match &part.body {
                Body::ToolCall { id, name, .. } => {
                    let is_unnamed = *id == self.next_id();
                    self.unnamed += usize::from(is_unnamed);
                    let sent = if is_unnamed { SmolStr::default() } else { id.clone() };
                    self.open.push_back(OpenCall { id: id.clone(), sent, tool: name.clone() });
                }
                Body::ToolResult(result) => {
                    if let Some(at) = self.open.iter().position(|call| call.id == result.id) {
                        self.open.remove(at);
                    }
                }
                _ => {}
            }
        }
    }

    /// The id of the call that a result answers: the recorded one, or that of the first open call of the tool. Clients may
    /// send an id of their own for a call that came without one.
    fn answered(&mut self, id: &str, name: &str) -> SmolStr {
        let by_id = |call: &OpenCall| call.sent == id || call.id == id;
        let by_name = |call: &OpenCall| call.tool == name && (id.is_empty() || call.sent.is_empty());
        let named = if id.is_empty() { None } else { self.open.iter().position(by_id) };
        let at = named.or_else(|| self.open.iter().position(by_name));
        at.and_then(|at| self.open.remove(at)).map_or_else(|| SmolStr::new(id), |call| call.id)
    }

    fn result(&mut self, function: &Function<'_>) -> ToolResult {
        let response = Response::of(function.response);
        let parts = function.parts.0.iter().flatten().copied();
        let mut nested = SplitContent::default();
        for raw in parts {
            self.add_part(&mut nested, raw);
        }
        let own = Some(response.text).filter(|text| !text.is_empty()).map(Body::Text);
        let nested = nested.rest.into_iter().map(|part| part.body);
        let (text, attachments) = block::join_texts(own.into_iter().chain(nested).collect());
        ToolResult {
            id: self.answered(function.id.as_str(), function.name.as_str()),
            name: function.name.non_empty(),
            text,
            attachments,
            is_error: response.is_error,
        }
    }
}

/// Whether Gemini CLI has made up the id of a call that came without one: from the name of the tool or that of the prompt, the
/// time, and a number.
fn is_made_up(id: &str, tool: &str) -> bool {
    let mut parts = id.rsplit('_');
    let mut ends_in_number =
        || parts.next().is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let is_of_tool = id.strip_prefix(tool).is_some_and(|rest| rest.starts_with('_'));
    (is_of_tool || id.starts_with("synth_")) && ends_in_number() && ends_in_number()
}

impl Media<'_> {
    fn image(&self) -> Option<Body> {
        let kind = self.mime_type.get().filter(|kind| kind.starts_with("image/"))?;
        Some(match (self.data.get(), self.file_uri.get()) {
            (Some(data), _) => image::from_data(kind, data),
            _ => image::without_size(kind),
        })
    }
}

/// The response of a tool.
struct Response {
    text: Arc<str>,
    is_error: bool,
}

impl Response {
    /// The text of a response that has one text, or its JSON. A response with an `error` is one of a failed call, unless that
    /// is empty beside other fields.
    fn of(raw: Option<Raw<'_>>) -> Self {
        let Some(raw) = raw else { return Self { text: Arc::default(), is_error: false } };
        let fields: Fields<'_> = raw.object().unwrap_or_default();
        let none: &[&str] = if fields.0.len() == 1 { &["false"] } else { &["false", "\"\""] };
        let is_error = fields.get("error").is_some_and(|error| !none.contains(&error.get()));
        let only = match fields.0.as_slice() {
            [(_, only)] => only.text(),
            _ => None,
        };
        let text = only.or_else(|| raw.text()).unwrap_or_else(|| raw.value().to_string().into());
        Self { text, is_error }
    }
}

fn add_text(split: &mut SplitContent, text: Arc<str>) {
    if !text.is_empty() {
        split.rest.push(Part::new(Body::Text(text)));
    }
}

fn other(json: serde_json::Value) -> Body {
    Body::Other(Box::new(image::without_data(json)))
}

/// Joins results into the text and the attachments of one.
pub(in crate::transcript) fn join(results: Vec<ToolResult>, rest: Vec<Part>) -> (Arc<str>, Vec<Body>) {
    let results = results.into_iter().flat_map(|result| {
        let text = Some(result.text).filter(|text| !text.is_empty()).map(Body::Text);
        text.into_iter().chain(result.attachments)
    });
    block::join_texts(results.chain(rest.into_iter().map(|part| part.body)).collect())
}

/// Returns whether the message has text, all of it written by Gemini CLI.
pub(in crate::transcript) fn is_from_harness(message: &Message) -> bool {
    let mut texts = message.parts.iter().filter_map(|part| match &part.body {
        Body::Text(text) => Some(text.trim_start()),
        _ => None,
    });
    let has_prefix = |text: &str| HARNESS_PREFIXES.iter().any(|prefix| text.starts_with(prefix));
    message.parts.iter().any(|part| matches!(part.body, Body::Text(_))) && texts.all(has_prefix)
}
