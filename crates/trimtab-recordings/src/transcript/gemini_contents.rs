//! Contents of the Gemini API: the messages in requests, in logs with responses, and in checkpoints of Gemini CLI.
//!
//! A content of the user may contain results of calls besides text; each result becomes a tool message (see `part`).

pub(super) mod part;

use serde::Deserialize;
use trimtab_base::conversation::{Body, Message, Part, Role, Usage};

use self::part::{PartReader, is_from_harness};
use super::record::Skipped;
use super::request_records::RecordApi;
use super::sample::{Sample, ShallowValue};
use super::wire::{self, List, Raw, Str, TokenCount};
use super::{Format, Reader, Transcript, envelope, usage};

/// Requests, responses and contents of the Gemini API.
pub(super) static GEMINI_CONTENTS: Format = Format {
    name: "gemini_contents",
    title: "Gemini API",
    summary: "a list of contents, a request with `contents`, a checkpoint of Gemini CLI, or JSON lines of these",
    sniff,
    reader: Reader::Records(RecordApi {
        is_response: |response| response.has("candidates"),
        is_message: is_content,
        goes_first: false,
        read: read_conversation,
    }),
    line: Some(envelope::line),
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.messages().iter().any(is_content)
}

fn is_content(content: &ShallowValue<'_>) -> bool {
    let is_known_role = match content.string("role").as_deref() {
        Some(role) => matches!(role, "user" | "model" | "function" | "tool" | "system"),
        None => !content.has("role"),
    };
    // The parts of other formats have types.
    let parts = content.field("parts").map(|parts| parts.elements(9)).unwrap_or_default();
    is_known_role
        && !["content", "id", "sender", "kind"].iter().any(|key| content.has(key))
        && !parts.is_empty()
        && parts.iter().all(|part| !part.has("type"))
}

fn read_conversation(conversation: &envelope::RawConversation<'_>, skipped: &mut Skipped) -> Transcript {
    let envelope = &conversation.envelope;
    let mut reader = PartReader::default();
    let mut messages = Vec::new();
    for raw in &conversation.messages {
        match parse_content(*raw, &mut reader) {
            Some(read) => messages.extend(read),
            None => skipped.count("message without parts"),
        }
    }
    let response: Response<'_> = wire::parse_or_default(envelope.response);
    let reply = response.reply(&mut reader, skipped);
    envelope.append_reply(&mut messages, reply, response.usage().or_else(|| usage(envelope.usage_metadata)));
    if messages.first().is_none_or(|first| first.role != Role::System) {
        messages.splice(0..0, envelope.system_instruction.and_then(parse_system));
    }
    envelope.transcript(messages)
}

/// Parses a system instruction. Returns `None` if it has no parts.
pub(super) fn parse_system(raw: Raw<'_>) -> Option<Message> {
    let parts = PartReader::default().parts(wire::parse_content(Some(system_parts(raw)))).rest;
    (!parts.is_empty()).then(|| Message::new(Role::System, parts))
}

/// The parts of a system instruction, which is a content, a part or a text.
fn system_parts(raw: Raw<'_>) -> Raw<'_> {
    raw.object::<wire::Fields<'_>>().and_then(|fields| fields.get("parts")).unwrap_or(raw)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Content<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    parts: wire::Content<'a>,
}

/// Parses a content into canonical messages. Returns `None` if it has no parts.
pub(super) fn parse_content(raw: Raw<'_>, reader: &mut PartReader) -> Option<Vec<Message>> {
    let content: Content<'_> = raw.object()?;
    if matches!(content.parts, wire::Content::None) {
        return None;
    }
    let role = match content.role.as_str() {
        "model" | "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => Role::User,
    };
    let mut messages = reader.parts(content.parts).into_messages(role);
    if messages.is_empty() {
        messages.push(Message::new(role, Vec::new()));
    }
    for message in &mut messages {
        message.harness = message.role == Role::User && is_from_harness(message);
    }
    Some(messages)
}

/// A response logged with its request.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    candidates: List<'a>,
    #[serde(rename = "usageMetadata", alias = "usage_metadata")]
    usage_metadata: Option<Raw<'a>>,
    #[serde(rename = "modelVersion", alias = "model_version")]
    model: Str<'a>,
    #[serde(rename = "createTime", alias = "create_time")]
    at: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<Raw<'a>>,
}

impl Response<'_> {
    fn reply(&self, reader: &mut PartReader, skipped: &mut Skipped) -> Option<Message> {
        let candidate: Candidate<'_> = self.candidates.0.as_ref()?.first()?.object()?;
        let parts = parse_content(candidate.content?, reader)?.into_iter().flat_map(|one| one.parts);
        let (results, parts): (Vec<Part>, Vec<Part>) = parts.partition(|part| matches!(part.body, Body::ToolResult(_)));
        // A model does not answer its own calls.
        for _ in &results {
            skipped.count("tool result in a response");
        }
        let (at, model) = (self.at.non_empty(), self.model.non_empty());
        Some(Message { at, model, ..Message::new(Role::Assistant, parts) })
    }

    fn usage(&self) -> Option<Usage> {
        usage(self.usage_metadata)
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct UsageMetadata {
    #[serde(rename = "promptTokenCount", alias = "prompt_token_count")]
    prompt: TokenCount,
    #[serde(rename = "cachedContentTokenCount", alias = "cached_content_token_count")]
    cached: TokenCount,
    #[serde(rename = "candidatesTokenCount", alias = "candidates_token_count")]
    candidates: TokenCount,
    #[serde(rename = "toolUsePromptTokenCount", alias = "tool_use_prompt_token_count")]
    tool_use: TokenCount,
    #[serde(rename = "thoughtsTokenCount", alias = "thoughts_token_count")]
    thoughts: TokenCount,
    #[serde(rename = "totalTokenCount", alias = "total_token_count")]
    total: TokenCount,
}

/// Usage of the Gemini API: the prompt includes cache reads but not what tools of the provider add, and thoughts are not among
/// the candidates. Clients that convert
/// the usage of another API into this form count thoughts among the candidates, which the total shows.
pub(super) fn usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let wire: UsageMetadata = raw.and_then(Raw::object)?;
    wire.prompt.0?;
    let prompt = wire.prompt.plus(wire.tool_use);
    Some(usage_with_total([prompt, wire.cached, wire.candidates], wire.thoughts, wire.total))
}

/// Usage from the counts of prompt, cache and candidates, with thoughts and a total.
pub(super) fn usage_with_total(counts: [TokenCount; 3], thoughts: TokenCount, total: TokenCount) -> Usage {
    let [prompt, cached, candidates] = counts;
    usage::usage([prompt, cached, candidates, thoughts, total], |[prompt, cached, candidates, thoughts, total]| {
        let includes_thoughts = prompt.checked_add(candidates) == Some(total);
        let thoughts = if includes_thoughts { 0 } else { thoughts };
        usage_of([prompt, cached, candidates, thoughts].map(|tokens| TokenCount(Some(tokens))))
    })
}

/// Usage whose input includes cache reads and whose output is in two parts.
pub(super) fn usage_of(recorded: [TokenCount; 4]) -> Usage {
    usage::usage(recorded, |[all, cached, candidates, thoughts]| {
        let cache_read = cached.min(all);
        Usage { input: all - cache_read, cache_read, output: candidates + thoughts, ..Usage::default() }
    })
}

#[cfg(test)]
mod tests;
