//! The content of an answer as a list of parts, which both interfaces write alike.

use serde::Deserialize;

/// A part of an answer.
#[derive(Deserialize)]
pub(super) struct ContentPart {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

/// The text of the parts. Thinking has kinds of its own and is left out.
pub(super) fn text(parts: Vec<ContentPart>) -> String {
    parts.into_iter().filter(|part| part.kind == "text").filter_map(|part| part.text).collect()
}
