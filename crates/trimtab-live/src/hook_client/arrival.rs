//! A tool result that a client is about to give to the model.

use std::fmt;

use serde_json::Value as Json;
use smol_str::SmolStr;

/// A new tool result, as an event describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// The id of the session.
    pub session: String,
    /// The sub-agent whose call it was, or `None` in the main conversation.
    pub agent: Option<SmolStr>,
    /// Where the session so far is.
    pub source: SessionSource,
    /// The id of the call, or `None` if the client does not report it.
    pub call: Option<SmolStr>,
    /// The tool.
    pub tool: SmolStr,
    /// The arguments of the call.
    pub arguments: Json,
    /// The text of the result.
    pub text: String,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// Where the session before a tool result is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionSource {
    /// In the file at this path.
    File(String),
    /// In the event, as a text in the format of the client's recordings.
    Event(String),
}

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventError(String);

impl EventError {
    pub(super) fn missing(key: &str) -> Self {
        Self(format!("the event has no `{key}`"))
    }

    pub(super) fn invalid(key: &str) -> Self {
        Self(format!("`{key}` of the event is not an id"))
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for EventError {}

/// The text at a key of an event.
pub(super) fn text<'a>(event: &'a Json, key: &str) -> Result<&'a str, EventError> {
    event.get(key).and_then(Json::as_str).ok_or_else(|| EventError::missing(key))
}

/// Whether an event has this name at the key that the clients with commands as hooks share.
pub(super) fn is_named(event: &Json, name: &str) -> Result<bool, EventError> {
    text(event, "hook_event_name").map(|found| found == name)
}

/// An arrival with this text in the form that the clients with commands as hooks share.
pub(super) fn of_command_hook(event: &Json, result: String) -> Result<Arrival, EventError> {
    Ok(Arrival {
        session: text(event, "session_id")?.to_owned(),
        agent: None,
        source: SessionSource::File(text(event, "transcript_path")?.to_owned()),
        call: event.get("tool_use_id").and_then(Json::as_str).map(SmolStr::from),
        tool: text(event, "tool_name")?.into(),
        arguments: event.get("tool_input").cloned().unwrap_or_default(),
        text: result,
        is_error: false,
    })
}
