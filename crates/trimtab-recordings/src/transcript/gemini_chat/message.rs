//! Conversion of recorded messages to canonical ones.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Cleared, HarnessEdits, Message, Part, Role, ToolResult, Usage};

use super::timeline::Entry;
use crate::transcript::gemini_contents::part::{self, PartReader};
use crate::transcript::gemini_contents::usage_of;
use crate::transcript::record::Skipped;
use crate::transcript::wire::{Content, List, Raw, Str, Text, TokenCount};
use crate::transcript::{HarnessCall, HarnessCallKind};

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    timestamp: Str<'a>,
    content: Content<'a>,
    thoughts: List<'a>,
    #[serde(rename = "toolCalls")]
    calls: List<'a>,
    tokens: Option<Raw<'a>>,
    model: Str<'a>,
}

impl WireMessage<'_> {
    fn usage(&self) -> Option<Usage> {
        self.tokens.and_then(Raw::object::<Tokens>).and_then(|tokens| tokens.usage())
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Thought {
    subject: Text,
    description: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Call<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    name: Str<'a>,
    args: Option<Raw<'a>>,
    result: Content<'a>,
    status: Str<'a>,
    #[serde(rename = "resultDisplay")]
    display: Text,
    timestamp: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    input: TokenCount,
    cached: TokenCount,
    output: TokenCount,
    thoughts: TokenCount,
}

/// The messages so far.
pub(super) struct Builder {
    messages: Vec<Message>,
    /// The calls of other branches.
    harness_calls: Vec<HarnessCall>,
    parts: PartReader,
    cleared: Vec<SmolStr>,
    pending_reset: bool,
    skipped: Skipped,
}

impl Builder {
    pub(super) fn new(skipped: Skipped) -> Self {
        Self {
            messages: Vec::new(),
            harness_calls: Vec::new(),
            parts: PartReader::default(),
            cleared: Vec::new(),
            pending_reset: false,
            skipped,
        }
    }

    pub(super) fn finish(self) -> (Vec<Message>, Vec<HarnessCall>, Skipped) {
        (self.messages, self.harness_calls, self.skipped)
    }

    /// Adds the call of a message on a branch that the person has left.
    pub(super) fn add_left(&mut self, raw: Raw<'_>) {
        let Some(message) = raw.object::<WireMessage<'_>>().filter(|one| one.kind.as_str() == "gemini") else { return };
        let (messages, kind) = (self.messages.len(), HarnessCallKind::Branch);
        let call = message.usage().map(|usage| HarnessCall { messages, kind, usage, model: message.model.non_empty() });
        self.harness_calls.extend(call);
    }

    /// Adds a recorded message.
    pub(super) fn add(&mut self, entry: &Entry<'_>) {
        self.cleared.extend(entry.cleared.iter().cloned());
        self.pending_reset |= entry.resets;
        let first = self.messages.len();
        let Some(message) = entry.raw.object::<WireMessage<'_>>() else {
            return self.skipped.count("non-object record");
        };
        match message.kind.as_str() {
            "user" => self.add_user(message),
            // No call of the model made it.
            "gemini" if entry.is_copy => self.skipped.count("copied message"),
            "gemini" => self.add_reply(message),
            kind => self.skipped.count(if kind.is_empty() { "message without a type" } else { kind }),
        }
        let Some(added) = self.messages.get_mut(first..) else { return };
        for copy in added.iter_mut().filter(|message| entry.is_copy && message.role == Role::User) {
            copy.harness = true;
        }
        let Some(message) = added.first_mut() else { return };
        message.resets = std::mem::take(&mut self.pending_reset);
        if !self.cleared.is_empty() {
            let cleared = Cleared { results: std::mem::take(&mut self.cleared), tokens: None };
            message.harness_edits = Some(Box::new(HarnessEdits { cleared: Some(cleared), ..HarnessEdits::default() }));
        }
    }

    fn add_user(&mut self, message: WireMessage<'_>) {
        let at = message.timestamp.non_empty();
        // The results are recorded with their calls.
        let parts = self.parts.parts(message.content).rest;
        if parts.is_empty() {
            return self.skipped.count("message without content");
        }
        let mut message = Message { at, ..Message::new(Role::User, parts) };
        message.harness = part::is_from_harness(&message);
        self.messages.push(message);
    }

    fn add_reply(&mut self, message: WireMessage<'_>) {
        let (at, usage) = (message.timestamp.non_empty(), message.usage());
        let thoughts = message.thoughts.0.unwrap_or_default().into_iter().filter_map(Raw::object::<Thought>);
        let mut parts: Vec<Part> = thoughts.map(|thought| Part::new(thought.body())).collect();
        let calls: Vec<Call<'_>> = message.calls.0.iter().flatten().filter_map(|raw| raw.object()).collect();
        // The content of a copy repeats the calls.
        let is_repeated = |part: &Part| !calls.is_empty() && matches!(part.body, Body::ToolCall { .. });
        parts.extend(self.parts.parts(message.content).rest.into_iter().filter(|part| !is_repeated(part)));
        let mut results = Vec::new();
        for call in calls {
            let body = self.parts.call(call.id.as_str(), call.name.as_str(), call.args);
            if let Body::ToolCall { id, .. } = &body {
                let id = id.clone();
                results.extend(self.result(call, id, at.as_ref()));
            }
            parts.push(Part::new(body));
        }
        if parts.is_empty() && usage.is_none() {
            return self.skipped.count("message without content");
        }
        self.messages.push(Message {
            at,
            usage,
            model: message.model.non_empty(),
            ..Message::new(Role::Assistant, parts)
        });
        self.messages.extend(results);
    }

    /// Returns the result of a call, or `None` if the call did not end.
    fn result(&mut self, call: Call<'_>, id: SmolStr, at: Option<&SmolStr>) -> Option<Message> {
        let status = call.status.as_str();
        let failed = matches!(status, "error" | "cancelled");
        if matches!(call.result, Content::None) && !failed && status != "success" {
            return None;
        }
        let split = self.parts.parts(call.result);
        let has_error = split.results.iter().any(|result| result.is_error);
        let (mut text, attachments) = part::join(split.results, split.rest);
        if text.is_empty() && attachments.is_empty() {
            text = call.display.0.unwrap_or_default();
        }
        let name = call.name.non_empty();
        let result = ToolResult { id, name, text, attachments, is_error: failed || has_error };
        let at = call.timestamp.non_empty().or_else(|| at.cloned());
        Some(Message { at, ..Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))]) })
    }
}

impl Thought {
    fn body(self) -> Body {
        let subject = self.subject.0.filter(|text| !text.is_empty()).map(|text| format!("**{text}**"));
        let description = self.description.0.filter(|text| !text.is_empty()).map(|text| text.to_string());
        let text = subject.into_iter().chain(description).collect::<Vec<_>>().join("\n");
        Body::Thinking { text: text.into(), signature: None }
    }
}

impl Tokens {
    /// The usage of the call: the input includes cache reads, the output excludes thoughts.
    fn usage(&self) -> Option<Usage> {
        self.input.0?;
        Some(usage_of([self.input, self.cached, self.output, self.thoughts]))
    }
}
