//! What each call of a replay would have sent, part by part, and which rule changed it.
//!
//! A request is stored as its difference from the previous one, so that a timeline grows with the session and not with its
//! square. Messages have numbers: a recorded one its index in the transcript, an added one its index in
//! [`Timeline::added`] plus the number of recorded messages.

mod composition;
mod recorder;

use std::collections::BTreeMap;
use std::ops::Range;

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Counter, Level, Message, Role, shorten};

pub use self::composition::Composition;
pub(super) use self::recorder::{RequestContext, TimelineRecorder};

/// What each call of a replay would have sent.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The number of recorded messages.
    pub messages: usize,
    /// The recorded messages that reached a request, by their numbers.
    pub recorded: BTreeMap<usize, TimelineMessage>,
    /// The messages that rules added, in the order in which requests contain them first.
    pub added: Vec<AddedMessage>,
    /// The requests of the calls that are made.
    pub requests: Vec<TimelineRequest>,
}

/// A message as it arrived.
#[derive(Clone, Debug)]
pub struct TimelineMessage {
    /// Who wrote it.
    pub role: Role,
    /// Its parts.
    pub parts: Vec<TimelinePart>,
}

/// A part of a message as it arrived.
#[derive(Clone, Debug)]
pub struct TimelinePart {
    /// What it is.
    pub kind: PartKind,
    /// The tool of a call or a result.
    pub tool: Option<SmolStr>,
    /// Its counted tokens.
    pub tokens: u64,
    /// The beginning of its text, if requested.
    pub text: Option<String>,
}

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Text.
    Text,
    /// A tool call.
    Call,
    /// A tool result.
    Result,
    /// Reasoning of the model.
    Reasoning,
    /// An image.
    Image,
    /// Anything else.
    Other,
}

/// A message that a rule added.
#[derive(Clone, Debug)]
pub struct AddedMessage {
    /// The index of the rule, or `None` if it is unknown.
    pub rule: Option<usize>,
    /// Whether it is a summary.
    pub is_summary: bool,
    /// The message.
    pub message: TimelineMessage,
}

/// A request, as the difference from the previous one.
#[derive(Clone, Debug)]
pub struct TimelineRequest {
    /// The call.
    pub call: usize,
    /// What the context consists of, in tokens.
    pub composition: Composition,
    /// How many messages at the beginning are those of the previous request.
    pub kept: usize,
    /// The numbers of the messages after them.
    pub tail: Vec<Range<usize>>,
    /// The messages that have left since the previous request, with the index of the rule that removed them, or `None`
    /// for the recorded harness.
    pub left: Vec<(usize, Option<usize>)>,
    /// The parts that have changed since the previous request.
    pub changes: Vec<PartChange>,
    /// The messages that this request leaves out.
    pub left_out: Option<LeftOut>,
    /// Messages that only this request contains, with the index of the rule.
    pub once: Vec<(TimelineMessage, Option<usize>)>,
}

/// The messages that a view leaves out of a request.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The index before which messages are left out, except system messages, summaries and pinned ones.
    pub before: usize,
    /// The indices of the pinned ones.
    pub pinned: Vec<usize>,
    /// The index of the rule that made the view.
    pub rule: Option<usize>,
}

/// A part that has changed.
#[derive(Clone, Debug)]
pub struct PartChange {
    /// The number of the message.
    pub message: usize,
    /// The position of the part on arrival.
    pub part: usize,
    /// How far it is reduced, or `None` if it has been removed.
    pub level: Option<Level>,
    /// Its counted tokens.
    pub tokens: u64,
    /// The index of the rule, or `None` for the recorded harness.
    pub rule: Option<usize>,
    /// The beginning of its new text, if requested.
    pub text: Option<String>,
}

impl TimelineMessage {
    /// A message with at most `limit` characters of each text. `tool` is the tool whose result it is.
    fn of(message: &Message, tool: Option<&SmolStr>, counter: &dyn Counter, limit: usize) -> Self {
        let part = |body: &Body| TimelinePart {
            kind: PartKind::of(body),
            tool: match body {
                Body::ToolCall { name, .. } => Some(name.clone()),
                Body::ToolResult(result) => tool.or(result.name.as_ref()).cloned(),
                _ => None,
            },
            tokens: counter.body(body),
            text: text_of(body, limit),
        };
        Self { role: message.role, parts: message.parts.iter().map(|one| part(&one.body)).collect() }
    }
}

impl PartKind {
    const fn of(body: &Body) -> Self {
        match body {
            Body::Text(_) => Self::Text,
            Body::Thinking { .. } => Self::Reasoning,
            Body::Image { .. } => Self::Image,
            Body::ToolCall { .. } => Self::Call,
            Body::ToolResult(_) => Self::Result,
            Body::Other(_) => Self::Other,
        }
    }
}

/// Returns the beginning of the text of a part, or `None` if texts are not requested.
fn text_of(body: &Body, limit: usize) -> Option<String> {
    if limit == 0 {
        return None;
    }
    Some(match body {
        Body::Text(text) | Body::Thinking { text, .. } => shorten(text, limit),
        Body::Image { media_type, .. } => media_type.to_string(),
        Body::ToolCall { arguments, .. } => shorten(&arguments.text(), limit),
        Body::ToolResult(result) => shorten(&result.text, limit),
        Body::Other(json) => shorten(&json.to_string(), limit),
    })
}
