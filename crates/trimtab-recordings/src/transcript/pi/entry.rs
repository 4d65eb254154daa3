//! The entries of a session and their conversion to messages.

use serde::Deserialize;
use smol_str::{SmolStr, ToSmolStr};
use trimtab_base::conversation::{Body, Compaction, HarnessEdits, Message, Part, Role, ToolResult, Usage};

use crate::transcript::compaction::{KEPT_BEYOND_LIMIT, Tail};
use crate::transcript::record::Skipped;
use crate::transcript::wire::{self, Content, Count, Fields, Flag, Raw, Str, Text, TokenCount};
use crate::transcript::{HarnessCall, HarnessCallKind, Tool, block, image, time, tool, usage};

/// A line of a session.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Entry<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    pub(super) id: Str<'a>,
    #[serde(rename = "parentId")]
    pub(super) parent_id: Str<'a>,
    pub(super) timestamp: Str<'a>,
    pub(super) cwd: Str<'a>,
    #[serde(rename = "modelId")]
    pub(super) model_id: Str<'a>,
    /// The level of a change, or with which a session begins.
    #[serde(rename = "thinkingLevel")]
    thinking_level: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    message: WireMessage<'a>,
    summary: Text,
    #[serde(rename = "tokensBefore")]
    tokens_before: TokenCount,
    /// The first entry that a compaction kept.
    #[serde(rename = "firstKeptEntryId")]
    first_kept_id: Str<'a>,
    /// Its position in the file, in version 1, which has no ids.
    #[serde(rename = "firstKeptEntryIndex")]
    first_kept_index: Count,
    /// The usage of the call that wrote a summary.
    #[serde(deserialize_with = "wire::lenient")]
    usage: WireUsage,
    /// The content of a message that an extension sends.
    content: Content<'a>,
}

/// The role of an entry in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// The first line.
    Header,
    /// A message.
    Message,
    /// A message that an extension sends.
    CustomMessage,
    /// A compaction.
    Compaction,
    /// A summary of a branch that the person has left.
    BranchSummary,
    /// Another reasoning effort from the next request on.
    ThinkingLevel,
    /// Anything else.
    Other,
}

impl Entry<'_> {
    /// The role of the entry.
    pub(super) fn kind(&self) -> EntryKind {
        match self.kind.as_str() {
            "session" => EntryKind::Header,
            "message" => EntryKind::Message,
            "custom_message" => EntryKind::CustomMessage,
            "compaction" => EntryKind::Compaction,
            "branch_summary" => EntryKind::BranchSummary,
            "thinking_level_change" => EntryKind::ThinkingLevel,
            _ => EntryKind::Other,
        }
    }

    /// The first entry that a compaction kept: its id, or its position.
    fn first_kept(&self) -> Option<SmolStr> {
        self.first_kept_id.non_empty().or_else(|| self.first_kept_index.0.map(|index| index.to_smolstr()))
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    model: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    usage: WireUsage,
    timestamp: Count,
    stop_reason: Str<'a>,
    tool_call_id: Str<'a>,
    tool_name: Str<'a>,
    is_error: Flag,
    command: Str<'a>,
    output: Str<'a>,
    summary: Text,
    exclude_from_context: Flag,
    /// The named sections of a system prompt, which follow its content.
    sections: Option<Raw<'a>>,
    tools_added: Option<Raw<'a>>,
    tools_removed: Option<Raw<'a>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct WireUsage {
    input: TokenCount,
    output: TokenCount,
    cache_read: TokenCount,
    cache_write: TokenCount,
}

impl WireUsage {
    /// Returns the usage, or `None` if all counts are 0. The input excludes the cache.
    fn usage(self) -> Option<Usage> {
        let recorded = [self.input, self.cache_read, self.cache_write, self.output];
        Some(usage::beside_cache(recorded)).filter(|usage| usage.total() > 0)
    }
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    text: Text,
    thinking: Text,
    thinking_signature: Str<'a>,
    id: Str<'a>,
    name: Str<'a>,
    arguments: Option<Raw<'a>>,
    data: Str<'a>,
    mime_type: Str<'a>,
}

fn parse_part(raw: Raw<'_>) -> Body {
    block::parse_part(raw, parse_known_part)
}

fn parse_known_part(part: WirePart<'_>) -> Option<Body> {
    Some(match part.kind.as_str() {
        "text" => Body::Text(part.text.0?),
        "thinking" => Body::Thinking {
            text: part.thinking.0.unwrap_or_default(),
            signature: part.thinking_signature.get().filter(|text| !text.is_empty()).map(Into::into),
        },
        "image" => image::from_data(part.mime_type.get().unwrap_or(image::ANY_TYPE), part.data.as_str()),
        "toolCall" => Body::ToolCall {
            id: SmolStr::new(part.id.as_str()),
            name: SmolStr::new(part.name.as_str()),
            arguments: wire::arguments(part.arguments),
        },
        _ => return None,
    })
}

/// The messages built so far.
#[derive(Default)]
pub(super) struct MessageBuilder {
    messages: Vec<Message>,
    /// The reasoning effort of the next request.
    effort: Option<SmolStr>,
    /// The calls that wrote summaries, and those of other branches.
    harness_calls: Vec<HarnessCall>,
    /// The tools that system messages declare.
    tools: Vec<Tool>,
    /// The messages that a compaction can keep.
    tail: Tail,
}

/// What was built.
pub(super) struct Built {
    pub(super) messages: Vec<Message>,
    /// The calls that wrote summaries, and those of other branches.
    pub(super) harness_calls: Vec<HarnessCall>,
    pub(super) tools: Vec<Tool>,
}

impl MessageBuilder {
    /// Sets the reasoning effort that an entry names.
    pub(super) fn set_effort(&mut self, entry: &Entry<'_>) {
        self.effort = entry.thinking_level.non_empty().or_else(|| self.effort.take());
    }

    /// Adds the entry at a position in the session.
    pub(super) fn add(&mut self, position: usize, entry: &mut Entry<'_>, skipped: &mut Skipped) {
        let kind = entry.kind();
        self.tail.begin(entry.id.non_empty().or_else(|| Some(position.to_smolstr())));
        self.change_tools(&entry.message);
        self.add_summary_call(entry);
        let message = match kind {
            EntryKind::Message => message(std::mem::take(&mut entry.message), skipped),
            EntryKind::CustomMessage => {
                let bodies = block::parse_parts(std::mem::take(&mut entry.content), parse_part);
                from_harness(bodies.into_iter().map(Part::new).collect())
            }
            EntryKind::Compaction => {
                let summary = entry.summary.0.clone().map(Part::text);
                from_harness(summary.into_iter().collect()).map(|message| compacted(message, entry.tokens_before.0))
            }
            EntryKind::BranchSummary => from_harness(entry.summary.0.clone().map(Part::text).into_iter().collect()),
            EntryKind::ThinkingLevel => return self.set_effort(entry),
            EntryKind::Header | EntryKind::Other => {
                skipped.count(entry.kind.get().unwrap_or("record without a type"));
                return;
            }
        };
        match message {
            Some(message) => {
                let at = entry.timestamp.non_empty().or_else(|| message.at.clone());
                let effort = self.effort.clone().filter(|_| message.is_reply());
                let first_kept = if kind == EntryKind::Compaction { entry.first_kept() } else { None };
                let kept = first_kept.map(|first| self.tail.since(&first)).unwrap_or_default();
                self.push(Message { at, effort, ..message });
                for index in kept {
                    let copy = self.messages[index].kept_copy();
                    self.messages.push(copy);
                }
            }
            None if kind == EntryKind::Message => {}
            None => skipped.count("entry without content"),
        }
    }

    /// Adds a message. Compactions keep neither the system prompt nor earlier summaries.
    fn push(&mut self, message: Message) {
        if message.role != Role::System && !message.resets {
            self.tail.push(self.messages.len());
        }
        self.messages.push(message);
    }

    /// Adds the call of an entry of a branch that the person has left.
    pub(super) fn add_left(&mut self, entry: &Entry<'_>) {
        self.add_summary_call(entry);
        let WireMessage { role, usage, model, .. } = &entry.message;
        let usage = usage.usage().filter(|_| entry.kind() == EntryKind::Message && role.as_str() == "assistant");
        let (messages, kind) = (self.messages.len(), HarnessCallKind::Branch);
        self.harness_calls.extend(usage.map(|usage| HarnessCall { messages, kind, usage, model: model.non_empty() }));
    }

    /// Adds the call that wrote the summary of an entry.
    fn add_summary_call(&mut self, entry: &Entry<'_>) {
        if let (EntryKind::Compaction | EntryKind::BranchSummary, Some(usage)) = (entry.kind(), entry.usage.usage()) {
            let (messages, kind) = (self.messages.len(), HarnessCallKind::Summary);
            self.harness_calls.push(HarnessCall { messages, kind, usage, model: None });
        }
    }

    /// Adds and removes the tools that a system message names.
    fn change_tools(&mut self, message: &WireMessage<'_>) {
        if message.role.as_str() != "system" {
            return;
        }
        let removed = tool::parse_tools(message.tools_removed);
        let added = tool::parse_tools(message.tools_added);
        self.tools.retain(|tool| !removed.iter().chain(&added).any(|other| other.name == tool.name));
        self.tools.extend(added);
    }

    /// Returns what was built.
    pub(super) fn finish(self, skipped: &mut Skipped) -> Built {
        skipped.add(KEPT_BEYOND_LIMIT, self.tail.refused());
        Built { messages: self.messages, harness_calls: self.harness_calls, tools: self.tools }
    }
}

fn from_harness(parts: Vec<Part>) -> Option<Message> {
    (!parts.is_empty()).then(|| Message { harness: true, ..Message::new(Role::User, parts) })
}

/// The summary of a compaction. pi does not record who requested it.
fn compacted(message: Message, tokens: Option<u64>) -> Message {
    let compaction =
        Some(Compaction { automatic: false, tokens: tokens.filter(|tokens| *tokens > 0), ..Compaction::default() });
    Message {
        resets: true,
        harness_edits: Some(Box::new(HarnessEdits { compaction, ..HarnessEdits::default() })),
        ..message
    }
}

/// Parses a message, which telemetry of OpenClaw contains too. Returns `None` for one that the model does not see.
pub(in crate::transcript) fn parse_message(raw: Raw<'_>, skipped: &mut Skipped) -> Option<Message> {
    message(raw.object()?, skipped)
}

/// The text of a system prompt: its content, and then its sections in order. A later system message has those that change,
/// and null for one that it removes.
fn system_prompt(content: Vec<Body>, sections: Option<Raw<'_>>) -> Option<String> {
    let (content, _) = block::join_texts(content);
    let sections: Fields<'_> = sections.and_then(Raw::object).unwrap_or_default();
    let sections = sections.0.iter().filter_map(|(_, section)| section.text());
    let texts: Vec<_> = [content].into_iter().chain(sections).filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Converts a message. Returns `None` for one that the model does not see, which is counted.
fn message(wire: WireMessage<'_>, skipped: &mut Skipped) -> Option<Message> {
    let at = wire.timestamp.0.and_then(time::from_millis);
    let bodies = block::parse_parts(wire.content, parse_part);
    let bodies = bodies.into_iter().filter(|body| !matches!(body, Body::Text(text) if text.is_empty()));
    let message = match wire.role.as_str() {
        "user" => Some(Message::new(Role::User, bodies.map(Part::new).collect())),
        "assistant" => {
            let parts: Vec<_> = bodies.map(Part::new).collect();
            let usage = wire.usage.usage();
            if parts.is_empty() && usage.is_none() {
                skipped.count(&format!("empty reply:{}", wire.stop_reason.get().unwrap_or("unknown")));
                return None;
            }
            Some(Message { usage, model: wire.model.non_empty(), ..Message::new(Role::Assistant, parts) })
        }
        "toolResult" => {
            let (text, attachments) = block::join_texts(bodies.collect());
            let (id, name) = (SmolStr::new(wire.tool_call_id.as_str()), wire.tool_name.non_empty());
            let result = ToolResult { id, name, text, attachments, is_error: wire.is_error.0 };
            Some(Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))]))
        }
        "bashExecution" if !wire.exclude_from_context.0 => {
            from_harness(vec![Part::text(format!("Ran `{}`\n{}", wire.command.as_str(), wire.output.as_str()))])
        }
        "system" => {
            let parts: Vec<_> = system_prompt(bodies.collect(), wire.sections).map(Part::text).into_iter().collect();
            (!parts.is_empty()).then(|| Message::new(Role::System, parts))
        }
        "custom" | "hookMessage" => from_harness(bodies.map(Part::new).collect()),
        "branchSummary" => from_harness(wire.summary.0.map(Part::text).into_iter().collect()),
        "compactionSummary" => {
            from_harness(wire.summary.0.map(Part::text).into_iter().collect()).map(|message| compacted(message, None))
        }
        role => {
            skipped.count(&format!("message:{role}"));
            return None;
        }
    };
    message.map(|message| Message { at, ..message })
}
