//! Conversion of recorded messages to canonical ones.

use std::ops::Range;

use foldhash::HashMap;
use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Cleared, Compaction, Message, Part, Role, ToolResult, Usage};

use super::timeline::Entry;
use crate::transcript::compaction::{Copies, KEPT_BEYOND_LIMIT};
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
    /// The messages of each entry.
    own: Vec<Range<usize>>,
    /// The number of messages that are not kept copies.
    originals: usize,
    copies: Copies,
    /// The index of the newest kept message of the context with the result of each call.
    kept_results: HashMap<SmolStr, usize>,
    /// The calls of other branches.
    harness_calls: Vec<HarnessCall>,
    parts: PartReader,
    cleared: Vec<SmolStr>,
    pending_reset: bool,
    pending_compaction: Option<Compaction>,
    skipped: Skipped,
}

impl Builder {
    pub(super) fn new(skipped: Skipped) -> Self {
        Self {
            messages: Vec::new(),
            own: Vec::new(),
            originals: 0,
            copies: Copies::default(),
            kept_results: HashMap::default(),
            harness_calls: Vec::new(),
            parts: PartReader::default(),
            cleared: Vec::new(),
            pending_reset: false,
            pending_compaction: None,
            skipped,
        }
    }

    pub(super) fn finish(mut self) -> (Vec<Message>, Vec<HarnessCall>, Skipped) {
        self.skipped.add(KEPT_BEYOND_LIMIT, self.copies.refused());
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
        let first = self.messages.len();
        if entry.resets {
            self.pending_reset = true;
            self.kept_results.clear();
        }
        if entry.is_compressed {
            // Who requested it is not recorded.
            self.pending_compaction = Some(Compaction { automatic: true, ..Compaction::default() });
        }
        self.add_messages(entry);
        self.own.push(first..self.messages.len());
        let Some(added) = self.messages.get_mut(first..) else { return };
        self.originals += added.iter().filter(|message| !message.kept).count();
        let is_harness = |message: &Message| entry.is_copy && message.role == Role::User && !message.kept;
        for copy in added.iter_mut().filter(|message| is_harness(message)) {
            copy.harness = true;
        }
        let Some(message) = added.first_mut() else { return };
        message.resets = std::mem::take(&mut self.pending_reset);
        if let Some(compaction) = self.pending_compaction.take() {
            message.harness_edits.get_or_insert_default().compaction = Some(compaction);
        }
        if !self.cleared.is_empty() {
            let cleared = Cleared { results: std::mem::take(&mut self.cleared), tokens: None };
            message.harness_edits.get_or_insert_default().cleared = Some(cleared);
        }
    }

    fn add_messages(&mut self, entry: &Entry<'_>) {
        let Some(message) = entry.raw.object::<WireMessage<'_>>() else {
            return self.skipped.count("non-object record");
        };
        let kept = entry.source.and_then(|at| self.own.get(at)).filter(|own| !own.is_empty());
        if let Some(kept) = kept.cloned() {
            return self.keep(kept);
        }
        match message.kind.as_str() {
            "user" => self.add_user(message, entry.is_copy),
            // No call of the model made it.
            "gemini" if entry.is_copy => self.skipped.count("copied message"),
            "gemini" => self.add_reply(message),
            kind => self.skipped.count(if kind.is_empty() { "message without a type" } else { kind }),
        }
    }

    /// Adds copies of messages that stay in the context: a prompt, or a reply and its results.
    fn keep(&mut self, messages: Range<usize>) {
        if !self.copies.accept(messages.len(), self.originals) {
            return;
        }
        for at in messages {
            let copy = self.messages[at].kept_copy();
            for part in &copy.parts {
                if let Body::ToolResult(result) = &part.body {
                    self.kept_results.insert(result.id.clone(), self.messages.len());
                }
            }
            self.messages.push(copy);
        }
    }

    /// Replaces the text of a kept result with that in the list, if it is shorter: Gemini CLI masks and cuts older results.
    fn shorten_kept(&mut self, result: &ToolResult) {
        let message = self.kept_results.get(&result.id).and_then(|at| self.messages.get_mut(*at));
        for part in message.into_iter().flat_map(|message| &mut message.parts) {
            if let Body::ToolResult(kept) = &mut part.body
                && kept.id == result.id
                && result.text.len() < kept.text.len()
            {
                kept.text = result.text.clone();
            }
        }
    }

    fn add_user(&mut self, message: WireMessage<'_>, is_copy: bool) {
        let at = message.timestamp.non_empty();
        let split = self.parts.parts(message.content);
        // The results are recorded with their calls.
        for result in split.results.iter().filter(|result| is_copy && !result.id.is_empty()) {
            self.shorten_kept(result);
        }
        let parts = split.rest;
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
