//! Messages and their parts: the form into which every recording is read.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use smol_str::SmolStr;

use super::arguments::Arguments;
use super::harness::{Cleared, Compaction, HarnessEdits, HeadChange};

/// The role of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions of the host.
    System,
    /// A person, a caller, or a harness on their behalf.
    User,
    /// The model.
    Assistant,
    /// A tool. The message contains one result.
    Tool,
}

impl Role {
    /// The word in recordings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// The most tokens that a model call or a context window can have; larger numbers are damaged or made up.
pub const MAX_TOKENS: u64 = 1 << 40;

/// The tokens of a model call, as counted by the provider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input neither read from nor written to the prompt cache.
    pub input: u64,
    /// Input read from the prompt cache.
    pub cache_read: u64,
    /// Input written to the prompt cache.
    pub cache_write: u64,
    /// The part of `cache_write` that is kept for an hour instead of the provider's shortest time.
    pub hour_write: u64,
    /// Output.
    pub output: u64,
    /// How the call was served.
    pub service: Service,
}

/// How a call was served, as far as that changes its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// Whether it was served in Anthropic's fast mode.
    pub is_fast: bool,
    /// Whether inference was limited to the United States.
    pub is_us_only: bool,
    /// The tier.
    pub tier: Tier,
}

/// The service tier of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tier {
    /// At list prices.
    #[default]
    Standard,
    /// Faster, for more.
    Priority,
    /// Slower, for less.
    Flex,
    /// In a batch.
    Batch,
}

impl Tier {
    /// The tier with this name in recorded usage; that of list prices for any other name.
    pub fn named(name: &str) -> Self {
        match name {
            "priority" => Self::Priority,
            "flex" => Self::Flex,
            "batch" => Self::Batch,
            _ => Self::Standard,
        }
    }

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Priority => "priority",
            Self::Flex => "flex",
            Self::Batch => "batch",
        }
    }
}

/// The tokens that delimit a reply in the next request.
const REPLY_ENVELOPE: u64 = 4;

impl Usage {
    /// The context of the call: all input, cached or not.
    pub const fn context(self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// All tokens of the call.
    pub const fn total(self) -> u64 {
        self.context().saturating_add(self.output)
    }

    /// Whether a provider can have counted this: at most [`MAX_TOKENS`]. Other usage counts as missing, so that sums over
    /// a transcript do not overflow.
    pub const fn is_plausible(self) -> bool {
        self.total() <= MAX_TOKENS && self.hour_write <= MAX_TOKENS
    }
}

/// How far a part has been reduced. Effects only move a part to a higher level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// As recorded.
    #[default]
    Whole,
    /// Cut to a number of characters.
    Trimmed {
        /// The limit in characters.
        limit: u32,
    },
    /// Replaced by a placeholder.
    Masked,
    /// Replaced by a placeholder, and kept outside the context.
    Offloaded,
}

/// The origin of a message in the conversation under the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The recording, or the host.
    #[default]
    Recorded,
    /// Injected by a rule.
    Injected,
    /// A summary that replaced messages.
    Summary,
    /// A running summary, of which there is at most one.
    RunningSummary,
}

/// The content of a tool result.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call that it answers; empty if the recording has none.
    pub id: SmolStr,
    /// The name of the tool, if the recording has it.
    pub name: Option<SmolStr>,
    /// The text. Several text parts are joined with a line break.
    pub text: Arc<str>,
    /// Parts other than text, such as images.
    pub attachments: Vec<Body>,
    /// Whether the tool failed.
    pub is_error: bool,
}

/// The dimensions of an image, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSize {
    /// The width.
    pub width: u32,
    /// The height.
    pub height: u32,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Text.
    Text(Arc<str>),
    /// Reasoning of the model.
    Thinking {
        /// The text; empty if the provider does not return it.
        text: Arc<str>,
        /// The signature of the provider, or the encrypted reasoning.
        signature: Option<Box<str>>,
    },
    /// An image, without its data.
    Image {
        /// The media type, such as `image/png`.
        media_type: SmolStr,
        /// The size of the decoded data in bytes; 0 if unknown.
        bytes: u64,
        /// The dimensions, or `None` if unknown.
        size: Option<ImageSize>,
    },
    /// A call of a tool.
    ToolCall {
        /// The id, which is not unique in all recordings.
        id: SmolStr,
        /// The tool.
        name: SmolStr,
        /// The arguments.
        arguments: Arguments,
    },
    /// The result of a call.
    ToolResult(Box<ToolResult>),
    /// A part of another kind, as recorded.
    Other(Box<Json>),
}

/// A part of a message and how far it has been reduced.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The content.
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

/// A message. A tool message contains exactly one result.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each tells something of its own about a message")]
pub struct Message {
    /// The role.
    pub role: Role,
    /// The content.
    pub parts: Vec<Part>,
    /// The origin.
    pub origin: Origin,
    /// The usage of the model call, for replies of the model.
    pub usage: Option<Usage>,
    /// For replies: the counted tokens of the sent messages, if a policy had changed that number.
    pub sent: Option<u64>,
    /// The timestamp as recorded.
    pub at: Option<SmolStr>,
    /// The model that wrote it.
    pub model: Option<SmolStr>,
    /// For replies: the reasoning effort that the request asked for, in the words of the recording.
    pub effort: Option<SmolStr>,
    /// Whether it begins a run, if the recording says so.
    pub run: Option<bool>,
    /// Whether it was written by a harness on behalf of a person or of the assistant.
    pub harness: bool,
    /// Whether the recorded harness compacted here, so that only the system prompt was left in the context.
    pub resets: bool,
    /// Whether it is a copy of an earlier message that the recorded harness kept in the context when it compacted. It is part
    /// of the context, but nothing happened: it is no prompt, no call and no new result.
    pub kept: bool,
    /// Whether the recording does not mark its result as an error and the text looks like one.
    pub inferred_error: bool,
    /// What the recorded harness did to its context before this message, if the recording says so.
    pub harness_edits: Option<Box<HarnessEdits>>,
    /// Unknown keys of the recording.
    pub extra: Map<String, Json>,
}

impl Message {
    /// A message with a role and parts.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            origin: Origin::Recorded,
            usage: None,
            sent: None,
            at: None,
            model: None,
            effort: None,
            run: None,
            harness: false,
            resets: false,
            kept: false,
            inferred_error: false,
            harness_edits: None,
            extra: Map::new(),
        }
    }

    /// A message with one text part.
    pub fn text(role: Role, text: impl Into<Arc<str>>) -> Self {
        Self::new(role, vec![Part::text(text)])
    }

    /// Whether the model wrote it, in a call of its own. A harness may give it words to begin a conversation with.
    pub fn is_reply(&self) -> bool {
        self.role == Role::Assistant && !self.harness
    }

    /// A copy for the context after a compaction, in which the recorded harness kept the message.
    #[must_use]
    pub fn kept_copy(&self) -> Self {
        Self {
            usage: None,
            sent: None,
            at: None,
            run: None,
            harness: self.harness || self.role == Role::Assistant,
            resets: false,
            kept: true,
            harness_edits: None,
            ..self.clone()
        }
    }

    /// Its calls in order: id, tool and arguments.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = (&SmolStr, &SmolStr, &Arguments)> {
        self.parts.iter().filter_map(|part| match &part.body {
            Body::ToolCall { id, name, arguments } => Some((id, name, arguments)),
            _ => None,
        })
    }

    /// Its results in order.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = &ToolResult> {
        self.parts.iter().filter_map(|part| match &part.body {
            Body::ToolResult(result) => Some(result.as_ref()),
            _ => None,
        })
    }

    /// The compaction before it, if the recording describes one.
    pub fn compaction(&self) -> Option<Compaction> {
        self.harness_edits.as_ref()?.compaction
    }

    /// The results cleared by the recorded harness before it.
    pub fn cleared(&self) -> Option<&Cleared> {
        self.harness_edits.as_ref()?.cleared.as_ref()
    }

    /// What has changed of the next request ahead of its messages.
    pub fn head_change(&self) -> HeadChange {
        self.harness_edits.as_ref().map(|edits| edits.changed).unwrap_or_default()
    }

    /// The tokens of a reply in the next request: its output as the provider counted it, with reasoning that the reply
    /// does not show, or else its counted size `counted`. An output of less than half of `counted` is not that of the
    /// whole reply: some recordings have the usage of the first piece of a stream. An output of more than twice
    /// `counted` includes reasoning, which is sent again only if the reply has reasoning.
    pub fn reply_tokens(&self, counted: u64) -> u64 {
        let output = self.usage.map_or(0, |usage| usage.output);
        let reasons = || self.parts.iter().any(|part| matches!(part.body, Body::Thinking { .. }));
        let is_sent = output > 0 && output >= counted / 2 && (output <= counted.saturating_mul(2) || reasons());
        if is_sent { output.saturating_add(REPLY_ENVELOPE) } else { counted }
    }

    /// Its text parts, concatenated.
    pub fn plain_text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match &part.body {
            Body::Text(text) => Some(text.as_ref()),
            _ => None,
        });
        texts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_has_the_tokens_of_its_output_unless_that_cannot_be_sent_again() {
        let reply = |output: u64, parts| {
            let usage = Some(Usage { output, ..Usage::default() });
            Message { usage, ..Message::new(Role::Assistant, parts) }
        };
        let tokens = |output, counted| reply(output, Vec::new()).reply_tokens(counted);
        assert_eq!([tokens(600, 300), tokens(601, 300)], [604, 300]);
        assert_eq!([tokens(150, 300), tokens(149, 300), tokens(0, 0)], [154, 300, 0]);
        let reasoning = Part::new(Body::Thinking { text: "".into(), signature: None });
        assert_eq!(reply(9_000, vec![reasoning]).reply_tokens(300), 9_004);
    }
}
