//! Threads of Amp: one object with messages, whose blocks resemble those of Anthropic.
//!
//! The results of the calls of a reply are in the next message of the user, each with the state of its run.

use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Role, ToolResult};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Content, Count, Fields, List, Raw, Str, TokenCount};
use super::{Format, ReadError, Reader, Transcript, block, error, image, time, usage};

/// Threads of Amp.
pub(super) static AMP: Format = Format {
    name: "amp",
    title: "Amp threads",
    summary: "thread files under `~/.local/share/amp/threads`",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    let is_thread = |record: &ShallowValue<'_>| {
        let has_id = record.string("id").is_some_and(|id| id.starts_with("T-"));
        record.has("messages") && has_id && (record.has("v") || record.has("created") || record.has("env"))
    };
    let has_run = |message: &ShallowValue<'_>| message.has("messageId") && message.mentions("content", "\"toolUseID\"");
    sample.records().iter().any(is_thread) || sample.messages().iter().any(has_run)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Thread<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    created: Count,
    messages: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    usage: WireUsage<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    meta: Meta,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireUsage<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    timestamp: Str<'a>,
    input_tokens: TokenCount,
    cache_read_input_tokens: TokenCount,
    cache_creation_input_tokens: TokenCount,
    output_tokens: TokenCount,
    max_input_tokens: TokenCount,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Meta {
    sent_at: Count,
}

/// A block that Amp spells in another way than Anthropic: an image or a result.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    #[serde(rename = "toolUseID")]
    tool_use_id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    run: Run<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    source: Source<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Run<'a> {
    #[serde(borrow)]
    status: Str<'a>,
    result: Option<Raw<'a>>,
    error: Option<Raw<'a>>,
    reason: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Source<'a> {
    #[serde(borrow)]
    media_type: Str<'a>,
    data: Str<'a>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for raw in input.deep_records(&mut skipped) {
        match raw.parse::<Thread<'_>>() {
            Some(thread) if raw.is_object() && thread.messages.0.is_some() => {
                transcripts.push(read_thread(&thread, &mut skipped));
            }
            Some(_) => skipped.count("record without messages"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "amp", input)
}

fn read_thread(thread: &Thread<'_>, skipped: &mut Skipped) -> Transcript {
    let (mut messages, mut window) = (Vec::new(), None);
    for raw in thread.messages.0.iter().flatten().filter(|raw| skipped.accepts(raw)).collect::<Vec<_>>() {
        let wire: WireMessage<'_> = raw.object().unwrap_or_default();
        window = wire.usage.max_input_tokens.0.filter(|tokens| *tokens > 0).or(window);
        match read_message(wire) {
            Ok(read) => messages.extend(read),
            Err(role) => skipped.count(&format!("message:{role}")),
        }
    }
    Transcript {
        id: thread.id.as_str().to_owned(),
        window,
        started: thread.created.0.and_then(time::from_millis),
        messages: messages.into_iter().map(Into::into).collect(),
        ..Transcript::default()
    }
}

/// The messages in a recorded one, or its role if that is another one than those of a conversation.
fn read_message(wire: WireMessage<'_>) -> Result<Vec<Message>, SmolStr> {
    let role = match wire.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        role => return Err(SmolStr::new(role)),
    };
    let mut split = block::SplitContent::default();
    for body in block::parse_parts(wire.content, parse_block) {
        split.add(body);
    }
    let usage = &wire.usage;
    let recorded =
        [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.output_tokens];
    let counted = Some(usage::beside_cache(recorded)).filter(|usage| usage.total() > 0);
    let at = usage.timestamp.non_empty().or_else(|| wire.meta.sent_at.0.and_then(time::from_millis));
    let mut messages = split.into_messages(role);
    if messages.is_empty() && role == Role::Assistant && counted.is_some() {
        messages.push(Message::new(role, Vec::new()));
    }
    for message in &mut messages {
        message.at.clone_from(&at);
        if message.role == Role::Assistant {
            (message.model, message.usage) = (usage.model.non_empty(), counted);
        }
    }
    Ok(messages)
}

fn parse_block(raw: Raw<'_>) -> Body {
    let block: Block<'_> = raw.object().unwrap_or_default();
    match (block.kind.as_str(), block.tool_use_id.non_empty()) {
        ("tool_result", Some(id)) => Body::ToolResult(Box::new(result(id, &block.run))),
        ("image", _) if block.source.media_type.get().is_some() => {
            image::from_data(block.source.media_type.as_str(), block.source.data.as_str())
        }
        _ => block::parse_block(raw),
    }
}

/// The result of a run. One that is not done has failed, or the person has rejected or cancelled it.
fn result(id: SmolStr, run: &Run<'_>) -> ToolResult {
    let is_error = matches!(run.status.as_str(), "error" | "cancelled" | "rejected-by-user");
    let code = run.result.and_then(Raw::object::<Fields<'_>>).and_then(|fields| fields.get("exitCode")?.parse::<i64>());
    let value = if is_error { run.error.or(run.reason).or(run.result) } else { run.result };
    let text = |raw: Raw<'_>| raw.text().unwrap_or_else(|| Arc::from(raw.value().to_string()));
    let is_error = is_error || code.is_some_and(|code| code != 0);
    ToolResult { id, name: None, text: value.map(text).unwrap_or_default(), attachments: Vec::new(), is_error }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Usage;

    use super::*;
    use crate::transcript;

    #[test]
    fn a_thread_has_its_calls_with_results_and_usage() {
        let text = r#"{"v":4,"id":"T-1","created":0,"messages":[
            {"role":"user","messageId":0,"meta":{"sentAt":1000},"content":[{"type":"text","text":"go"}]},
            {"role":"assistant","messageId":1,"content":[{"type":"thinking","thinking":"hm","signature":"s"},
              {"type":"tool_use","id":"a","name":"Bash","input":{"cmd":"ls"}},{"type":"tool_use","id":"b","name":"Read","input":{}}],
             "usage":{"model":"m","inputTokens":12,"outputTokens":8,"cacheReadInputTokens":300,"cacheCreationInputTokens":90,"maxInputTokens":168000}},
            {"role":"user","messageId":2,"content":[
              {"type":"tool_result","toolUseID":"a","run":{"status":"done","result":{"output":"no","exitCode":1}}},
              {"type":"tool_result","toolUseID":"b","run":{"status":"error","error":{"message":"gone"}}}]},
            {"role":"info","messageId":3,"content":[]}]}"#;
        let file = transcript::read(text.as_bytes(), None).expect("reads");
        let read = &file.transcripts[0];
        let roles: Vec<_> = read.messages.iter().map(|message| message.role).collect();
        assert_eq!((file.format, roles), ("amp", vec![Role::User, Role::Assistant, Role::Tool, Role::Tool]));
        let usage = Usage { input: 12, cache_read: 300, cache_write: 90, output: 8, ..Usage::default() };
        assert_eq!((read.messages[1].usage, read.window), (Some(usage), Some(168_000)));
        let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
        let outcome: Vec<_> =
            results.iter().map(|result| (result.id.as_str(), result.text.as_ref(), result.is_error)).collect();
        assert_eq!(outcome, [("a", r#"{"output":"no","exitCode":1}"#, true), ("b", r#"{"message":"gone"}"#, true)]);
        assert_eq!(read.skipped.get("message:info"), Some(&1));
    }
}
