//! What puts the events of a stream together.

use serde_json::Value as Json;

/// Puts the events of a stream together.
pub(in crate::request) trait Assembler: Send + std::fmt::Debug {
    /// Reads the JSON of an event, and returns whether it ends the reply. Unknown events change nothing.
    fn add(&mut self, event: Json) -> bool;

    /// What the events add up to.
    fn finish(self: Box<Self>) -> Assembled;
}

/// What the events of a stream add up to.
#[derive(Debug, Default)]
pub(in crate::request) struct Assembled {
    /// The response body, or `None` if nothing of the reply has come.
    pub(in crate::request) body: Option<String>,
    /// Whether the stream said that the reply is complete.
    pub(in crate::request) is_complete: bool,
    pub(in crate::request) error: Option<String>,
}
