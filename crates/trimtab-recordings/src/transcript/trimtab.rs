//! Trimtab JSONL, Trimtab's own recording format: a header line, then one message per line. `write` is its writer.

mod split;

use memchr::memmem;
use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::{
    Body, Cleared, Compaction, HeadChange, ImageSize, Message, Origin, Part, Recall, Role, ToolResult, Usage,
};
use trimtab_base::playbook::Playbook;

use self::split::split;
use super::line::Line;
use super::record::{self, Input, Skipped};
use super::sample::Sample;
use super::wire::{self, Count, Fields, Flag, Indexed, Raw, Str, Text, TokenCount};
use super::{
    Format, HarnessCall, HarnessCallKind, Live, Quirk, ReadError, Reader, RecordedAnswer, RecordedEvent, Transcript,
    block, error, host_event, tool, usage,
};

/// Trimtab's own recording format.
pub(super) static TRIMTAB: Format = Format {
    name: "trimtab",
    title: "Trimtab JSONL",
    summary: "a header line with the key `trimtab`, then one message per line",
    sniff,
    reader: Reader::File(read),
    line: Some(line),
    quirks: &[Quirk::Selective],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().first().is_some_and(|record| record.has("trimtab"))
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts: Vec<Transcript> = Vec::new();
    for record in input.records(&mut skipped) {
        match record.parse::<Fields<'_>>() {
            Some(fields) if fields.get("trimtab").is_some() => transcripts.push(parse_header(&fields)),
            Some(fields) if fields.get("answer").is_some() => add_answer(&mut transcripts, &fields, &mut skipped),
            Some(fields) if fields.get("harness_call").is_some() && fields.get("role").is_none() => {
                add_harness_call(&mut transcripts, &fields, &mut skipped);
            }
            Some(fields) if is_report(&fields) => add_event(&mut transcripts, record, &mut skipped),
            Some(fields) => add_message(&mut transcripts, &fields, &mut skipped),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "trimtab", input)
}

fn line(text: &str) -> Line {
    let may_be_header = memmem::find(text.as_bytes(), b"\"trimtab\"").is_some();
    let is_header =
        || Indexed::of(text).and_then(|json| json.raw().object::<Fields<'_>>()?.get("trimtab").map(drop)).is_some();
    if may_be_header && is_header() { Line::First } else { Line::Part }
}

/// The known keys of a header.
const HEADER_KEYS: &[&str] =
    &["trimtab", "id", "model", "window", "tools", "tool_tokens", "started", "directory", "missing_history", "live"];
const AGENT_KEYS: &[&str] = &["agent", "agent_depth"];

fn parse_header(fields: &Fields<'_>) -> Transcript {
    Transcript {
        id: string(fields, "id").unwrap_or_default().into(),
        agent: string(fields, "agent"),
        depth: count(fields, "agent_depth"),
        model: string(fields, "model"),
        window: tokens(fields, "window"),
        tools: tool::parse_tools(fields.get("tools")),
        tool_tokens: tokens(fields, "tool_tokens"),
        started: string(fields, "started"),
        directory: string(fields, "directory"),
        missing_history: flag(fields, "missing_history"),
        live: fields.get("live").and_then(parse_live),
        extra: fields
            .0
            .iter()
            .filter(|(key, _)| ![HEADER_KEYS, AGENT_KEYS].iter().any(|known| known.contains(&key.as_ref())))
            .map(|(key, raw)| (key.clone().into_owned(), raw.value()))
            .collect(),
        ..Transcript::default()
    }
}

fn parse_live(raw: Raw<'_>) -> Option<Live> {
    let fields: Fields<'_> = raw.object()?;
    let (window, max_iterations) = (tokens(&fields, "window"), count(&fields, "max_iterations"));
    let (overhead, factor) = (tokens(&fields, "overhead")?, count(&fields, "factor")?);
    let playbook = fields.get("playbook").and_then(Raw::parse::<Playbook>).unwrap_or_default();
    let is_set = |key: &str| fields.get(key).and_then(Raw::parse::<bool>).unwrap_or(false);
    let tool_tokens = fields.get("tool_tokens").and_then(Raw::parse);
    let tool_tokens = tool_tokens.unwrap_or_default();
    let plan = string(&fields, "plan")?;
    Some(Live {
        plan,
        window,
        has_fixed_window: is_set("has_fixed_window"),
        follows_replies: is_set("follows_replies"),
        overhead,
        factor,
        tool_tokens,
        max_iterations,
        playbook,
        host_reflects: is_set("host_reflects"),
        recall: if is_set("recalls_by_command") { Recall::Command } else { Recall::Tool },
        answers: Vec::new(),
    })
}

/// Adds the answer on a line to the last transcript.
fn add_answer(transcripts: &mut [Transcript], fields: &Fields<'_>, skipped: &mut Skipped) {
    let live = transcripts.last_mut().and_then(|transcript| transcript.live.as_mut());
    match (live, fields.get("answer").and_then(parse_answer)) {
        (Some(live), Some(answer)) => live.answers.push(answer),
        _ => skipped.count("answer without a live session"),
    }
}

/// Adds the call of the harness on a line to the last transcript.
fn add_harness_call(transcripts: &mut [Transcript], fields: &Fields<'_>, skipped: &mut Skipped) {
    let call: Option<Fields<'_>> = fields.get("harness_call").and_then(Raw::object);
    let usage = call.as_ref().and_then(|call| call.get("usage")).and_then(parse_usage);
    match (transcripts.last_mut(), call, usage) {
        (Some(transcript), Some(call), Some(usage)) => {
            let (messages, model) = (transcript.messages.len(), string(&call, "model"));
            let kind = string(&call, "kind").and_then(|name| HarnessCallKind::named(&name)).unwrap_or_default();
            transcript.harness_calls.push(HarnessCall { messages, kind, usage, model });
        }
        _ => skipped.count("harness call without usage"),
    }
}

/// Whether a line has what a host reported.
fn is_report(fields: &Fields<'_>) -> bool {
    fields.get("role").is_none() && ["event", "fact", "requested"].iter().any(|key| fields.get(key).is_some())
}

/// Adds the event or the fact on a line to the last transcript.
fn add_event(transcripts: &mut [Transcript], raw: Raw<'_>, skipped: &mut Skipped) {
    match (transcripts.last_mut(), host_event::parse(raw)) {
        (Some(transcript), Some((event, moment))) => {
            transcript.events.push(RecordedEvent { messages: transcript.messages.len(), moment, event });
        }
        _ => skipped.count("unknown event"),
    }
}

fn parse_answer(raw: Raw<'_>) -> Option<RecordedAnswer> {
    if let Some(word) = raw.text() {
        return match word.as_ref() {
            "retry" => Some(RecordedAnswer::Retry),
            "continue" => Some(RecordedAnswer::Continue),
            "confirmed" => Some(RecordedAnswer::Confirmed),
            "declined" => Some(RecordedAnswer::Declined),
            _ => None,
        };
    }
    let fields: Fields<'_> = raw.object()?;
    if let Some(deltas) = fields.get("strategies") {
        return deltas.parse().map(RecordedAnswer::Strategies);
    }
    let text = |key| Some(fields.get(key).and_then(Raw::parse::<Text>)?.0?.to_string());
    text("summary").map(RecordedAnswer::Summary).or_else(|| text("failed").map(RecordedAnswer::Failed))
}

/// Adds the message on a line to the last transcript. A file without a header is one transcript.
fn add_message(transcripts: &mut Vec<Transcript>, fields: &Fields<'_>, skipped: &mut Skipped) {
    let Some(role) = string(fields, "role").and_then(|name| parse_role(&name)) else {
        return skipped.count("record without a known role");
    };
    if transcripts.is_empty() {
        transcripts.push(Transcript::default());
    }
    if let Some(transcript) = transcripts.last_mut() {
        transcript.messages.extend(split(parse_message(role, fields)).into_iter().map(Into::into));
    }
}

/// Reads one message from its JSON in the format, as `message_json` writes it. Returns `None` if it is not one message.
pub fn read_message(json: &Json) -> Option<Message> {
    let text = json.to_string();
    let json = Indexed::of(&text)?;
    let fields: Fields<'_> = json.raw().object()?;
    let role = parse_role(&string(&fields, "role")?)?;
    let mut messages = split(parse_message(role, &fields));
    messages.pop().filter(|_| messages.is_empty())
}

fn parse_role(name: &str) -> Option<Role> {
    [Role::System, Role::User, Role::Assistant, Role::Tool].into_iter().find(|role| role.word() == name)
}

/// Parses the message on a line. Unknown fields, and known fields with an invalid value, are kept in `extra`.
fn parse_message(role: Role, fields: &Fields<'_>) -> Message {
    let mut message = Message::new(role, Vec::new());
    for (key, raw) in &fields.0 {
        if set_field(&mut message, key, *raw).is_none() {
            message.extra.insert(key.clone().into_owned(), raw.value());
        }
    }
    message
}

/// Sets a field of the message. Returns `None` for an unknown key or an invalid value.
fn set_field(message: &mut Message, key: &str, raw: Raw<'_>) -> Option<()> {
    let flag = || matches!(raw.get(), "true" | "false").then(|| raw.get() == "true");
    let string = || raw.is_string().then(|| raw.parse::<Str<'_>>())?.map(|text| SmolStr::new(text.as_str()));
    match key {
        "role" => {}
        "content" => message.parts = parse_contents(raw).into_iter().map(Part::new).collect(),
        "usage" => message.usage = Some(parse_usage(raw)?),
        "sent" => message.sent = Some(raw.parse::<TokenCount>()?.0?),
        "at" => message.at = Some(string()?),
        "model" => message.model = Some(string()?),
        "effort" => message.effort = Some(string()?),
        "run" => message.run = Some(flag()?),
        "harness" => message.harness = flag()?,
        "resets" => message.resets = flag()?,
        "kept" => message.kept = flag()?,
        "inferred_error" => message.inferred_error = flag()?,
        "origin" => message.origin = parse_origin(&string()?)?,
        "compaction" => message.harness_edits.get_or_insert_default().compaction = Some(parse_compaction(raw)?),
        "cleared" => message.harness_edits.get_or_insert_default().cleared = Some(parse_cleared(raw)?),
        "changed" => message.harness_edits.get_or_insert_default().changed = parse_changed(raw)?,
        _ => return None,
    }
    Some(())
}

fn parse_origin(name: &str) -> Option<Origin> {
    let named = [Origin::Injected, Origin::Summary, Origin::RunningSummary];
    named.into_iter().find(|origin| origin_name(*origin) == Some(name))
}

/// The value of `origin` in the format; `None` for recorded messages, which omit it.
pub(super) const fn origin_name(origin: Origin) -> Option<&'static str> {
    match origin {
        Origin::Recorded => None,
        Origin::Injected => Some("injected"),
        Origin::Summary => Some("summary"),
        Origin::RunningSummary => Some("running_summary"),
    }
}

fn parse_usage(raw: Raw<'_>) -> Option<Usage> {
    let fields: Fields<'_> = raw.object()?;
    let recorded = ["input", "cache_read", "cache_write", "cache_write_1h", "output"];
    let recorded = recorded.map(|key| fields.tokens(key));
    let words = ["speed", "inference_geo", "service_tier"];
    let words = words.map(|key| fields.get(key).and_then(Raw::parse::<Str<'_>>).unwrap_or_default());
    let service = usage::service(words[0].as_str(), words[1].as_str(), words[2].as_str());
    Some(usage::with_hour_write(recorded, service))
}

fn parse_compaction(raw: Raw<'_>) -> Option<Compaction> {
    let fields: Fields<'_> = raw.object()?;
    let [tokens, after] = ["tokens", "after"].map(|key| tokens(&fields, key));
    Some(Compaction { automatic: flag(&fields, "automatic"), tokens, after })
}

fn parse_cleared(raw: Raw<'_>) -> Option<Cleared> {
    let fields: Fields<'_> = raw.object()?;
    let ids = fields.get("results").map(Raw::elements).unwrap_or_default();
    let results = ids.filter_map(|id| id.parse::<Str<'_>>()?.get().map(SmolStr::new)).collect();
    Some(Cleared { results, tokens: tokens(&fields, "tokens") })
}

/// Returns what has changed of a request, or `None` if nothing known has.
fn parse_changed(raw: Raw<'_>) -> Option<HeadChange> {
    let mut changed = HeadChange::default();
    for word in raw.elements() {
        match word.parse::<Str<'_>>()?.as_str() {
            "tools" => changed.tools = true,
            "system_prompt" => changed.prompt = true,
            _ => return None,
        }
    }
    changed.is_any().then_some(changed)
}

fn count(fields: &Fields<'_>, key: &str) -> Option<u64> {
    fields.get(key).and_then(Raw::parse::<Count>).and_then(|count| count.0)
}

fn tokens(fields: &Fields<'_>, key: &str) -> Option<u64> {
    fields.tokens(key).0
}

fn string(fields: &Fields<'_>, key: &str) -> Option<SmolStr> {
    fields.get(key).and_then(Raw::parse::<Str<'_>>)?.get().map(SmolStr::new)
}

fn flag(fields: &Fields<'_>, key: &str) -> bool {
    fields.get(key).and_then(Raw::parse::<Flag>).unwrap_or_default().0
}

fn parse_contents(raw: Raw<'_>) -> Vec<Body> {
    match raw {
        _ if raw.is_null() => Vec::new(),
        _ if raw.is_array() => raw.elements().map(parse_part).collect(),
        _ => vec![parse_part(raw)],
    }
}

/// Parses a part, or a string as a text part.
pub(super) fn parse_part(raw: Raw<'_>) -> Body {
    raw.text()
        .map(Body::Text)
        .or_else(|| parse_known_part(&raw.parse()?))
        .unwrap_or_else(|| Body::Other(Box::new(raw.value())))
}

fn parse_known_part(fields: &Fields<'_>) -> Option<Body> {
    let string = |key| string(fields, key);
    let text = || fields.get("text").and_then(Raw::parse::<Text>)?.0;
    Some(match string("type")?.as_str() {
        "text" => Body::Text(text()?),
        "other" => Body::Other(Box::new(fields.get("value").map_or(Json::Null, Raw::value))),
        "thinking" => {
            let signature = string("signature").map(|signature| signature.as_str().into());
            // The key of Anthropic's parts is accepted too.
            let anthropic = || fields.get("thinking").and_then(Raw::parse::<Text>)?.0;
            Body::Thinking { text: text().or_else(anthropic)?, signature }
        }
        "image" => Body::Image {
            media_type: string("media_type")?,
            bytes: count(fields, "bytes").unwrap_or(0),
            size: parse_image_size(fields),
        },
        "tool_call" => Body::ToolCall {
            id: string("id").unwrap_or_default(),
            name: string("name")?,
            arguments: wire::arguments(fields.0.iter().find(|(key, _)| key == "arguments").map(|(_, raw)| *raw)),
        },
        "tool_result" => {
            let (text, attachments) = block::join_texts(fields.get("content").map(parse_contents).unwrap_or_default());
            let (id, is_error) = (string("id").unwrap_or_default(), flag(fields, "is_error"));
            Body::ToolResult(Box::new(ToolResult { id, name: string("name"), text, attachments, is_error }))
        }
        _ => return None,
    })
}

fn parse_image_size(fields: &Fields<'_>) -> Option<ImageSize> {
    let side = |key| count(fields, key).and_then(|side| u32::try_from(side).ok()).filter(|side| *side > 0);
    Some(ImageSize { width: side("width")?, height: side("height")? })
}

#[cfg(test)]
mod tests;
