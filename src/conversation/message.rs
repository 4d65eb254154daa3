//! Messages and their parts, in the canonical form that every recording is read into.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use super::harness::{Cleared, Compaction, HarnessEdits};

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions of the host.
    System,
    /// A person, a caller, or a harness in their place.
    User,
    /// The model.
    Assistant,
    /// A tool: the message carries one result.
    Tool,
}

impl Role {
    /// The word in the recording form.
    pub const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// What a model call used, in tokens, as the provider counted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input that was neither read from nor written to the prompt cache.
    pub input: u64,
    /// Input read from the prompt cache.
    pub cache_read: u64,
    /// Input written to the prompt cache.
    pub cache_write: u64,
    /// Output.
    pub output: u64,
}

impl Usage {
    /// The context of the call: all input, cached or not.
    pub const fn context(self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Everything the call used.
    pub const fn total(self) -> u64 {
        self.context().saturating_add(self.output)
    }
}

/// How far a part has been reduced. An effect touches a part only below its own level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// As recorded.
    #[default]
    Whole,
    /// Cut to a number of characters.
    Trimmed {
        /// The limit that cut it, in characters.
        limit: u32,
    },
    /// Replaced by a placeholder.
    Masked,
}

/// Where a message of the kept conversation comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A person, the model, a tool or a harness.
    #[default]
    Recorded,
    /// A rule injected it.
    Injected,
    /// A rule's summary of what it replaced.
    Summary,
    /// The running summary of `slide`, of which there is at most one.
    RunningSummary,
}

/// The arguments of a call as they were recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// A string; usually JSON, sometimes broken JSON or free text.
    Text(Box<str>),
    /// A JSON value.
    Json(Json),
}

impl Arguments {
    /// The text that is sent and counted.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Text(text) => text.as_ref().into(),
            Self::Json(value) => value.to_string().into(),
        }
    }

    /// Whether two calls have the same arguments: equal values when both parse, else equal texts.
    pub fn same(&self, other: &Self) -> bool {
        if let (Self::Text(a), Self::Text(b)) = (self, other)
            && a == b
        {
            return true;
        }
        match (self.parsed(), other.parsed()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.text() == other.text(),
            _ => false,
        }
    }

    /// The JSON value, when the recorded form is one or parses as one.
    pub fn parsed(&self) -> Option<std::borrow::Cow<'_, Json>> {
        match self {
            Self::Json(value) => Some(std::borrow::Cow::Borrowed(value)),
            Self::Text(text) => serde_json::from_str(text).ok().map(std::borrow::Cow::Owned),
        }
    }
}

/// The content of a tool result.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call that it answers; empty when the recording has none.
    pub id: SmolStr,
    /// The name of the tool, when the recording gives it.
    pub name: Option<SmolStr>,
    /// Its text; the texts of several text parts are joined by a line break.
    pub text: Arc<str>,
    /// Parts that are not text: images and whatever the recording keeps.
    pub attachments: Vec<Body>,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// The dimensions of an image, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSize {
    /// From left to right.
    pub width: u32,
    /// From top to bottom.
    pub height: u32,
}

/// What a part holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Text.
    Text(Arc<str>),
    /// Reasoning of the model.
    Thinking {
        /// Its text; empty when the provider gives none.
        text: Arc<str>,
        /// The provider's signature, or its encrypted form.
        signature: Option<Box<str>>,
    },
    /// An image; its data is not kept.
    Image {
        /// Such as `image/png`.
        media_type: SmolStr,
        /// Size of the decoded data in bytes; 0 when unknown.
        bytes: u64,
        /// Its dimensions; none when unknown.
        size: Option<ImageSize>,
    },
    /// A call of a tool.
    ToolCall {
        /// The id; not unique in all recordings.
        id: SmolStr,
        /// The tool.
        name: SmolStr,
        /// The arguments.
        arguments: Arguments,
    },
    /// The result of a call.
    ToolResult(Box<ToolResult>),
    /// A part of a kind that trimtab does not act on, kept as it was recorded.
    Other(Box<Json>),
}

/// A part of a message and how far it has been reduced.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it holds.
    pub body: Body,
    /// How far it has been reduced.
    pub level: Level,
}

impl Part {
    /// A part as recorded.
    pub const fn new(body: Body) -> Self {
        Self { body, level: Level::Whole }
    }

    /// A text part.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::new(Body::Text(text.into()))
    }

    /// A call.
    pub fn call(id: impl Into<SmolStr>, name: impl Into<SmolStr>, arguments: Arguments) -> Self {
        Self::new(Body::ToolCall { id: id.into(), name: name.into(), arguments })
    }

    /// A result.
    pub fn result(id: impl Into<SmolStr>, text: impl Into<Arc<str>>, is_error: bool) -> Self {
        let result = ToolResult { id: id.into(), name: None, text: text.into(), attachments: Vec::new(), is_error };
        Self::new(Body::ToolResult(Box::new(result)))
    }
}

/// One message. In the canonical conversation a tool message carries exactly one result.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// What it says.
    pub parts: Vec<Part>,
    /// Where it comes from.
    pub origin: Origin,
    /// What the call that it replies with used; on replies of the model only.
    pub usage: Option<Usage>,
    /// When it was written, as recorded.
    pub at: Option<SmolStr>,
    /// The model that wrote it.
    pub model: Option<SmolStr>,
    /// Whether it begins a run, where the recording says so.
    pub run: Option<bool>,
    /// Whether a harness wrote it in a person's place.
    pub harness: bool,
    /// Whether the recorded harness compacted here: everything before it but the system prompt had left the context.
    pub resets: bool,
    /// What the recorded harness did to its context before this message, where the recording describes it.
    pub harness_edits: Option<Box<HarnessEdits>>,
    /// Keys of the recording form that trimtab does not know.
    pub extra: Map<String, Json>,
}

impl Message {
    /// A message with nothing but its role and parts.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            origin: Origin::Recorded,
            usage: None,
            at: None,
            model: None,
            run: None,
            harness: false,
            resets: false,
            harness_edits: None,
            extra: Map::new(),
        }
    }

    /// A message of one text part.
    pub fn text(role: Role, text: impl Into<Arc<str>>) -> Self {
        Self::new(role, vec![Part::text(text)])
    }

    /// The calls in it, in order: id, tool and arguments.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = (&SmolStr, &SmolStr, &Arguments)> {
        self.parts.iter().filter_map(|part| match &part.body {
            Body::ToolCall { id, name, arguments } => Some((id, name, arguments)),
            _ => None,
        })
    }

    /// The results in it, in order.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = &ToolResult> {
        self.parts.iter().filter_map(|part| match &part.body {
            Body::ToolResult(result) => Some(result.as_ref()),
            _ => None,
        })
    }

    /// The compaction that it follows, where the recording describes it.
    pub fn compaction(&self) -> Option<Compaction> {
        self.harness_edits.as_ref()?.compaction
    }

    /// The results that the recorded harness cleared before it.
    pub fn cleared(&self) -> Option<&Cleared> {
        self.harness_edits.as_ref()?.cleared.as_ref()
    }

    /// Its text parts, one behind the other.
    pub fn plain_text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match &part.body {
            Body::Text(text) => Some(text.as_ref()),
            _ => None,
        });
        texts.collect()
    }
}
