//! The project's own recording form: a header line, then a message a line.

use serde_json::Value as Json;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::record::{self, Skipped};
use super::wire::{self, Count, Fields, Flag, Str, Words};
use super::{Format, ReadError, Sample, Transcript, block, error, tool};
use crate::conversation::{Body, Cleared, Compaction, ImageSize, Message, Origin, Part, Role, ToolResult, Usage};

/// The own form.
pub(super) static TRIMTAB: Format = Format {
    name: "trimtab",
    summary: "trimtab's own form: a header line with `trimtab`, then a message a line",
    sniff,
    read,
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().first().is_some_and(|record| record.has("trimtab"))
}

fn read(text: &str) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts: Vec<Transcript> = Vec::new();
    for record in record::records(text, &mut skipped) {
        match serde_json::from_str::<Fields<'_>>(record) {
            Ok(fields) if fields.get("trimtab").is_some() => transcripts.push(header(&fields)),
            Ok(fields) => add(&mut transcripts, &fields, &mut skipped),
            Err(_) => skipped.count(record::BROKEN),
        }
    }
    let first = transcripts.first_mut().ok_or_else(|| error::no_record("trimtab", text))?;
    first.skipped = skipped.0;
    Ok(transcripts)
}

fn header(fields: &Fields<'_>) -> Transcript {
    let word = |key| fields.get(key).and_then(wire::parse::<Str<'_>>);
    let name = |key| word(key).and_then(|word| word.get().map(SmolStr::new));
    Transcript {
        id: word("id").map(|word| word.word().to_owned()).unwrap_or_default(),
        model: name("model"),
        window: fields.get("window").and_then(wire::parse::<Count>).and_then(|count| count.0),
        tools: tool::read_all(fields.get("tools")),
        started: name("started"),
        ..Transcript::default()
    }
}

/// Adds the messages of a line; a file without a header is one transcript.
fn add(transcripts: &mut Vec<Transcript>, fields: &Fields<'_>, skipped: &mut Skipped) {
    let Some(role) = fields.get("role").and_then(wire::parse::<Str<'_>>).and_then(|word| role(word.word())) else {
        return skipped.count("record without a known role");
    };
    if transcripts.is_empty() {
        transcripts.push(Transcript::default());
    }
    if let Some(transcript) = transcripts.last_mut() {
        transcript.messages.extend(split(message(role, fields)).into_iter().map(Into::into));
    }
}

fn role(word: &str) -> Option<Role> {
    [Role::System, Role::User, Role::Assistant, Role::Tool].into_iter().find(|role| role.word() == word)
}

/// The message as it stands in the line; fields that are unknown, or known and unreadable, are kept beside it.
fn message(role: Role, fields: &Fields<'_>) -> Message {
    let mut message = Message::new(role, Vec::new());
    for (key, raw) in &fields.0 {
        if set(&mut message, key, raw).is_none() {
            message.extra.insert(key.clone().into_owned(), wire::value(raw));
        }
    }
    message
}

/// Sets a known field; nothing when it is not one.
fn set(message: &mut Message, key: &str, raw: &RawValue) -> Option<()> {
    let flag = || matches!(raw.get(), "true" | "false").then(|| raw.get() == "true");
    let name = || wire::is_string(raw).then(|| wire::parse::<Str<'_>>(raw))?.map(|word| SmolStr::new(word.word()));
    match key {
        "role" => {}
        "content" => message.parts = parts(raw),
        "usage" => message.usage = Some(usage(raw)?),
        "at" => message.at = Some(name()?),
        "model" => message.model = Some(name()?),
        "run" => message.run = Some(flag()?),
        "harness" => message.harness = flag()?,
        "resets" => message.resets = flag()?,
        "origin" => message.origin = origin(&name()?)?,
        "compaction" => message.harness_edits.get_or_insert_default().compaction = Some(compaction(raw)?),
        "cleared" => message.harness_edits.get_or_insert_default().cleared = Some(cleared(raw)?),
        _ => return None,
    }
    Some(())
}

fn origin(word: &str) -> Option<Origin> {
    let known = [Origin::Injected, Origin::Summary, Origin::RunningSummary];
    known.into_iter().find(|origin| origin_word(*origin) == Some(word))
}

/// The word for an origin; recorded messages have none.
pub(super) const fn origin_word(origin: Origin) -> Option<&'static str> {
    match origin {
        Origin::Recorded => None,
        Origin::Injected => Some("injected"),
        Origin::Summary => Some("summary"),
        Origin::RunningSummary => Some("running_summary"),
    }
}

fn usage(raw: &RawValue) -> Option<Usage> {
    let fields: Fields<'_> = wire::object(raw)?;
    let count = |key| fields.get(key).and_then(wire::parse::<Count>).unwrap_or_default().or_zero();
    let (input, output) = (count("input"), count("output"));
    Some(Usage { input, cache_read: count("cache_read"), cache_write: count("cache_write"), output })
}

fn compaction(raw: &RawValue) -> Option<Compaction> {
    let fields: Fields<'_> = wire::object(raw)?;
    let automatic = fields.get("automatic").and_then(wire::parse::<Flag>).unwrap_or_default().0;
    Some(Compaction { automatic, tokens: count(&fields, "tokens") })
}

fn cleared(raw: &RawValue) -> Option<Cleared> {
    let fields: Fields<'_> = wire::object(raw)?;
    let ids = fields.get("results").map(wire::elements).unwrap_or_default().into_iter();
    let results = ids.filter_map(|id| wire::parse::<Str<'_>>(id)?.name()).collect();
    Some(Cleared { results, tokens: count(&fields, "tokens") })
}

fn count(fields: &Fields<'_>, key: &str) -> Option<u64> {
    fields.get(key).and_then(wire::parse::<Count>).and_then(|count| count.0)
}

fn parts(raw: &RawValue) -> Vec<Part> {
    bodies(raw).into_iter().map(Part::new).collect()
}

fn bodies(raw: &RawValue) -> Vec<Body> {
    match raw.get() {
        "null" => Vec::new(),
        _ if wire::is_array(raw) => wire::elements(raw).into_iter().map(body).collect(),
        _ => vec![body(raw)],
    }
}

/// Reads a part, or a string in place of a text part.
pub(super) fn body(raw: &RawValue) -> Body {
    if wire::is_string(raw) {
        return Body::Text(wire::parse::<Words>(raw).and_then(|words| words.0).unwrap_or_default());
    }
    let fields: Option<Fields<'_>> = wire::parse(raw);
    fields.and_then(|fields| known(&fields)).unwrap_or_else(|| Body::Other(Box::new(wire::value(raw))))
}

fn known(fields: &Fields<'_>) -> Option<Body> {
    let word = |key| fields.get(key).and_then(wire::parse::<Str<'_>>);
    let name = |key| word(key).and_then(|word| word.get().map(SmolStr::new));
    let text = || fields.get("text").and_then(wire::parse::<Words>)?.0;
    Some(match word("type")?.word() {
        "text" => Body::Text(text()?),
        "other" => Body::Other(Box::new(fields.get("value").map_or(Json::Null, wire::value))),
        "thinking" => {
            let signature = word("signature").and_then(|word| word.get().map(Into::into));
            Body::Thinking { text: text()?, signature }
        }
        "image" => Body::Image {
            media_type: name("media_type")?,
            bytes: count(fields, "bytes").unwrap_or(0),
            size: image_size(fields),
        },
        "tool_call" => Body::ToolCall {
            id: name("id").unwrap_or_default(),
            name: name("name")?,
            arguments: wire::arguments(fields.0.iter().find(|(key, _)| key == "arguments").map(|(_, raw)| *raw)),
        },
        "tool_result" => {
            let is_error = fields.get("is_error").and_then(wire::parse::<Flag>).unwrap_or_default().0;
            let (text, attachments) = block::text_and_rest(fields.get("content").map(bodies).unwrap_or_default());
            let id = name("id").unwrap_or_default();
            Body::ToolResult(Box::new(ToolResult { id, name: name("name"), text, attachments, is_error }))
        }
        _ => return None,
    })
}

fn image_size(fields: &Fields<'_>) -> Option<ImageSize> {
    let side = |key| count(fields, key).and_then(|side| u32::try_from(side).ok()).filter(|side| *side > 0);
    Some(ImageSize { width: side("width")?, height: side("height")? })
}

/// A message for each result, and one for the rest: behind the results, but an assistant's before them. What the harness
/// did before the line is noted on the first of them alone.
fn split(mut message: Message) -> Vec<Message> {
    let (resets, edits) = (std::mem::take(&mut message.resets), message.harness_edits.take());
    let mut messages = by_result(message);
    if let [first, rest @ ..] = messages.as_mut_slice() {
        first.resets = resets;
        first.harness_edits = edits;
        if first.run.is_some() {
            for message in rest {
                message.run = None;
            }
        }
    }
    messages
}

fn by_result(mut message: Message) -> Vec<Message> {
    let (results, mut rest): (Vec<_>, Vec<_>) =
        message.parts.drain(..).partition(|part| matches!(part.body, Body::ToolResult(_)));
    if message.role == Role::Tool && results.is_empty() {
        let (text, attachments) = block::text_and_rest(rest.drain(..).map(|part| part.body).collect());
        let result = ToolResult { id: SmolStr::default(), name: None, text, attachments, is_error: false };
        return vec![Message { parts: vec![Part::new(Body::ToolResult(Box::new(result)))], ..message }];
    }
    let mut messages: Vec<_> = results.into_iter().map(|part| of_result(&message, part)).collect();
    let role = if message.role == Role::Tool { Role::User } else { message.role };
    if messages.is_empty() || !rest.is_empty() {
        let at = if role == Role::Assistant { 0 } else { messages.len() };
        messages.insert(at, Message { role, parts: rest, ..message });
    }
    messages
}

fn of_result(message: &Message, part: Part) -> Message {
    if message.role == Role::Tool {
        return Message { parts: vec![part], ..message.clone() };
    }
    Message { at: message.at.clone(), ..Message::new(Role::Tool, vec![part]) }
}

#[cfg(test)]
mod tests;
