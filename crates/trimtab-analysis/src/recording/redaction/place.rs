//! Where values stand in Trimtab JSONL, and what their keys mean there.

use serde_json::{Map, Value as Json};

/// Keys whose values are words of the format.
const FIXED: &[&str] = &["answer", "event", "moment", "origin", "plan", "role", "type"];

/// Keys whose values name things that other lines name too.
const IDENTIFIERS: &[&str] = &[
    "agent",
    "at",
    "fact",
    "flow",
    "id",
    "media_type",
    "model",
    "name",
    "results",
    "started",
    "status",
    "tool",
    "tools_used",
];

/// The keys of a header, a message or an answer, of which those of other systems are told apart.
const LINE: &[&str] = &[
    "agent",
    "agent_depth",
    "answer",
    "at",
    "harness_call",
    "cleared",
    "compaction",
    "content",
    "harness",
    "id",
    "live",
    "model",
    "name",
    "origin",
    "resets",
    "role",
    "run",
    "sent",
    "started",
    "tools",
    "trimtab",
    "usage",
    "window",
];

/// The kinds of parts of the format. Others are as another system wrote them.
const PARTS: &[&str] = &["image", "other", "text", "thinking", "tool_call", "tool_result"];

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueRole {
    /// A line.
    Line,
    /// In the content of a message or a result.
    Parts,
    /// In the declarations of tools.
    Tools,
    /// In another value of the format.
    Record,
    /// In an object whose keys are names of tools.
    ToolNames,
    /// In arguments, and in what another system wrote.
    Content,
    /// In the value of a name such as `password`.
    Secret,
}

/// How a value is redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// Not at all.
    Keep,
    /// Only what identifies somebody.
    Identifier,
    /// As the name of a property of a schema.
    Key,
    /// Every character.
    All,
    /// As what stands in this place.
    In(ValueRole),
}

impl ValueRole {
    /// The treatment of a value of an object in this place.
    pub(super) fn treatment(self, object: &Map<String, Json>, key: &str) -> Treatment {
        let is_participant =
            || object.get("role").and_then(Json::as_str).is_some_and(|role| role != "system" && role != "tool");
        match self {
            Self::Content | Self::Secret | Self::ToolNames => Treatment::In(Self::Content),
            Self::Parts if !is_part(object) && key != "type" => Treatment::In(Self::Content),
            Self::Line if key == "name" && is_participant() => Treatment::In(Self::Content),
            _ if FIXED.contains(&key) && !object[key].is_object() => Treatment::Keep,
            Self::Tools if key == "required" => Treatment::Key,
            _ if IDENTIFIERS.contains(&key) && !object[key].is_object() => Treatment::Identifier,
            _ if key == "signature" => Treatment::All,
            _ => Treatment::In(self.below(object, key)),
        }
    }

    /// The place of a value that is not an identifier.
    fn below(self, object: &Map<String, Json>, key: &str) -> Self {
        match (self, key) {
            (Self::Line | Self::Parts, "content") => Self::Parts,
            (Self::Line, "tools") | (Self::Tools, _) => Self::Tools,
            (_, "tool_tokens") => Self::ToolNames,
            (_, "arguments" | "value") => Self::Content,
            (Self::Line, _) if !LINE.contains(&key) && !object.contains_key("event") => Self::Content,
            _ => Self::Record,
        }
    }

    /// Whether a key is not of the format.
    pub(super) fn has_foreign_key(self, object: &Map<String, Json>, key: &str) -> bool {
        match self {
            Self::Content | Self::Secret | Self::ToolNames => true,
            Self::Tools => !["description", "name", "required", "schema", "type"].contains(&key),
            Self::Parts => !is_part(object) && key != "type",
            Self::Line => !LINE.contains(&key) && !object.contains_key("event") && !object.contains_key("fact"),
            Self::Record => false,
        }
    }
}

/// Whether an object is a part of the format.
fn is_part(object: &Map<String, Json>) -> bool {
    object.get("type").and_then(Json::as_str).is_some_and(|kind| PARTS.contains(&kind))
}
