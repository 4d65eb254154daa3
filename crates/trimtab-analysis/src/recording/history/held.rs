//! The largest parts of a transcript, and in how many contexts each was.

use std::cmp::Reverse;

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Counter, Entry, Level};
use trimtab_recordings::transcript::Transcript;
use trimtab_simulate::simulate::Sent;

use crate::recording::pairing::Pairing;

/// The most characters of a preview.
const MAX_PREVIEW: usize = 120;

/// A part of a message and how long it stayed in the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldPart {
    /// The index of its message in the transcript.
    pub message: usize,
    /// The role of the message.
    pub role: &'static str,
    /// What it is: `text`, `thinking`, `image`, `tool call`, `tool result` or `other`.
    pub kind: &'static str,
    /// The tool of a call or a result.
    pub tool: Option<SmolStr>,
    /// Its counted tokens.
    pub tokens: u64,
    /// The number of calls whose context contained it whole, or `None` if that was not counted.
    pub calls: Option<usize>,
    /// The beginning of its text.
    pub preview: String,
}

/// The largest parts while a transcript is replayed.
pub(super) struct HeldParts {
    /// In the order of their messages, with their positions in the messages.
    parts: Vec<(usize, HeldPart)>,
}

impl HeldParts {
    /// The largest parts of a transcript.
    pub(super) fn of(transcript: &Transcript, counter: &dyn Counter, most: usize) -> Self {
        let mut all = Vec::new();
        for (message, one) in transcript.messages.iter().enumerate().filter(|_| most > 0) {
            all.extend(one.parts.iter().enumerate().map(|(at, part)| (counter.body(&part.body), message, at)));
        }
        all.sort_by_key(|(tokens, message, at)| (Reverse(*tokens), *message, *at));
        all.truncate(most);
        all.sort_unstable_by_key(|(_, message, at)| (*message, *at));
        let pairing = (most > 0).then(|| Pairing::of(transcript));
        let part = |(tokens, message, at): (u64, usize, usize)| {
            let one = &transcript.messages[message];
            let body = &one.parts[at].body;
            let answered = || pairing.as_ref()?.tool_of(message);
            let held = HeldPart {
                message,
                role: one.role.word(),
                kind: kind(body),
                tool: tool(body).or_else(answered),
                tokens,
                calls: Some(0),
                preview: preview(body),
            };
            (at, held)
        };
        Self { parts: all.into_iter().map(part).collect() }
    }

    /// Counts the parts that a context contains.
    pub(super) fn record(&mut self, sent: &Sent<'_>) {
        for (at, part) in &mut self.parts {
            let entries = sent.conversation.entries();
            let entry = entries.binary_search_by_key(&part.message, message_of);
            let entry = entry.ok().and_then(|found| entries.get(found));
            let is_whole =
                entry.and_then(|entry| entry.message().parts.get(*at)).is_some_and(|part| part.level == Level::Whole);
            if is_whole {
                part.calls = part.calls.map(|calls| calls + 1);
            }
        }
    }

    /// The parts, the largest first.
    pub(super) fn finish(self) -> Vec<HeldPart> {
        let mut parts: Vec<HeldPart> = self.parts.into_iter().map(|(_, part)| part).collect();
        parts.sort_by_key(|part| Reverse(part.tokens));
        parts
    }
}

/// The index in the transcript of a message: a replay without rules adds no others.
pub(super) fn message_of(entry: &Entry) -> usize {
    usize::try_from(entry.id().0).unwrap_or(usize::MAX)
}

/// What a part is.
pub(super) const fn kind(body: &Body) -> &'static str {
    match body {
        Body::Text(_) => "text",
        Body::Thinking { .. } => "thinking",
        Body::Image { .. } => "image",
        Body::ToolCall { .. } => "tool call",
        Body::ToolResult(_) => "tool result",
        Body::Other(_) => "other",
    }
}

/// The tool that a part names.
pub(super) fn tool(body: &Body) -> Option<SmolStr> {
    match body {
        Body::ToolCall { name, .. } => Some(name.clone()),
        Body::ToolResult(result) => result.name.clone(),
        _ => None,
    }
}

/// The beginning of the text of a part, in one line.
pub(super) fn preview(body: &Body) -> String {
    let text = match body {
        Body::Text(text) | Body::Thinking { text, .. } => text.to_string(),
        Body::Image { media_type, .. } => media_type.to_string(),
        Body::ToolCall { arguments, .. } => arguments.text().into_owned(),
        Body::ToolResult(result) => result.text.to_string(),
        Body::Other(json) => json.to_string(),
    };
    let line = text.split_whitespace().take(MAX_PREVIEW).collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(MAX_PREVIEW).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
