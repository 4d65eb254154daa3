//! Messages of Pydantic AI: lists of requests and responses, each with parts, as its type adapter for messages writes them.
//!
//! A request contains what is new for the model: prompts, results, and requests to try again.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult, Usage};

use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Fields, List, Raw, Str, Text, TokenCount};
use super::{Format, ReadError, Reader, Transcript, block, error, image, openai_chat, usage};

/// Messages of Pydantic AI.
pub(super) static PYDANTIC_AI: Format = Format {
    name: "pydantic_ai",
    title: "Pydantic AI messages",
    summary: "a list of messages, an object with `messages` or `all_messages`, or JSON lines of either",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

/// The keys of the list of messages in an object.
const LISTS: [&str; 4] = ["messages", "all_messages", "message_history", "new_messages"];

fn sniff(sample: &Sample<'_>) -> bool {
    let is_list = |record: &ShallowValue<'_>| record.elements(4).iter().any(is_message);
    let has_list =
        |record: &ShallowValue<'_>| LISTS.iter().any(|key| record.field(key).is_some_and(|list| is_list(&list)));
    sample.records().iter().any(|record| is_message(record) || is_list(record) || has_list(record))
}

fn is_message(record: &ShallowValue<'_>) -> bool {
    matches!(record.string("kind").as_deref(), Some("request" | "response"))
        && record.field("parts").is_some_and(|parts| parts.elements(1).iter().all(|part| part.has("part_kind")))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    kind: Str<'a>,
    parts: List<'a>,
    instructions: Text,
    usage: Option<Raw<'a>>,
    model_name: Str<'a>,
    timestamp: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WirePart<'a> {
    #[serde(borrow)]
    part_kind: Str<'a>,
    content: Option<Raw<'a>>,
    timestamp: Str<'a>,
    signature: Str<'a>,
    tool_name: Str<'a>,
    tool_call_id: Str<'a>,
    args: Option<Raw<'a>>,
    outcome: Str<'a>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let (mut transcripts, mut bare) = (Vec::new(), Vec::new());
    for raw in input.deep_records(&mut skipped) {
        let fields: Fields<'_> = raw.object().unwrap_or_default();
        let list = LISTS.iter().find_map(|key| fields.get(key)).filter(|list| list.is_array());
        match list.or_else(|| raw.is_array().then_some(raw)) {
            Some(list) => transcripts.push(read_messages(list.elements(), &mut skipped)),
            None if fields.get("parts").is_some() => bare.push(raw),
            None => skipped.count("record without messages"),
        }
    }
    if !bare.is_empty() {
        transcripts.push(read_messages(bare, &mut skipped));
    }
    error::with_skipped(transcripts, skipped, "pydantic_ai", input)
}

fn read_messages<'a>(records: impl IntoIterator<Item = Raw<'a>>, skipped: &mut Skipped) -> Transcript {
    let mut messages: Vec<Message> = Vec::new();
    for raw in records {
        if !skipped.accepts(&raw) {
            continue;
        }
        let wire: WireMessage<'_> = raw.object().unwrap_or_default();
        match wire.kind.as_str() {
            "request" => add_request(wire, &mut messages, skipped),
            "response" => add_response(&wire, &mut messages, skipped),
            _ => skipped.count("message without a known kind"),
        }
    }
    Transcript { messages: messages.into_iter().map(Into::into).collect(), ..Transcript::default() }
}

/// Adds what is new for the model. Instructions are sent with every request and are not part of the list.
fn add_request(wire: WireMessage<'_>, messages: &mut Vec<Message>, skipped: &mut Skipped) {
    if let Some(text) = wire.instructions.0.filter(|text| messages.is_empty() && !text.is_empty()) {
        messages.push(Message::text(Role::System, text));
    }
    for part in wire.parts.0.iter().flatten().filter_map(|raw| raw.object::<WirePart<'_>>()) {
        let at = part.timestamp.non_empty().or_else(|| wire.timestamp.non_empty());
        let message = match part.part_kind.as_str() {
            "system-prompt" => Message::new(Role::System, contents(part.content)),
            "user-prompt" => Message::new(Role::User, contents(part.content)),
            "tool-return" => result(&part, matches!(part.outcome.as_str(), "failed" | "denied" | "error")),
            "retry-prompt" if part.tool_name.get().is_some() => result(&part, true),
            // The framework asks the model to try again.
            "retry-prompt" => Message { harness: true, ..Message::text(Role::User, text(part.content)) },
            kind => {
                skipped.count(if kind.is_empty() { "part without a kind" } else { kind });
                continue;
            }
        };
        messages.push(Message { at, ..message });
    }
}

fn add_response(wire: &WireMessage<'_>, messages: &mut Vec<Message>, skipped: &mut Skipped) {
    let mut parts = Vec::new();
    for raw in wire.parts.0.iter().flatten() {
        let part: WirePart<'_> = raw.object().unwrap_or_default();
        let body = match part.part_kind.as_str() {
            "text" => Body::Text(part.content.and_then(Raw::text).unwrap_or_default()),
            "thinking" => Body::Thinking {
                text: part.content.and_then(Raw::text).unwrap_or_default(),
                signature: part.signature.get().filter(|text| !text.is_empty()).map(Into::into),
            },
            "tool-call" => Body::ToolCall {
                id: SmolStr::new(part.tool_call_id.as_str()),
                name: SmolStr::new(part.tool_name.as_str()),
                arguments: wire::arguments(part.args),
            },
            _ => Body::Other(Box::new(image::without_data(raw.value()))),
        };
        if !matches!(&body, Body::Text(text) if text.is_empty()) {
            parts.push(Part::new(body));
        }
    }
    let usage = response_usage(wire.usage);
    if parts.is_empty() && usage.is_none() {
        return skipped.count("empty reply");
    }
    let (at, model) = (wire.timestamp.non_empty(), wire.model_name.non_empty());
    messages.push(Message { usage, at, model, ..Message::new(Role::Assistant, parts) });
}

/// The parts of a prompt: a text, or a list of texts and of media.
fn contents(raw: Option<Raw<'_>>) -> Vec<Part> {
    let bodies = block::parse_parts(wire::parse_content(raw), parse_content);
    bodies.into_iter().map(Part::new).collect()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Media<'a> {
    #[serde(borrow)]
    kind: Str<'a>,
    url: Str<'a>,
    data: Str<'a>,
    #[serde(rename = "media_type")]
    mime: Str<'a>,
}

fn parse_content(raw: Raw<'_>) -> Body {
    let media: Media<'_> = raw.object().unwrap_or_default();
    let is_image = media.mime.as_str().starts_with("image/");
    match (media.kind.as_str(), media.url.get(), media.data.get()) {
        ("image-url", Some(url), _) => image::from_url(url),
        ("binary", _, Some(data)) if is_image => image::from_data(media.mime.as_str(), data),
        _ => block::parse_plain(raw, openai_chat::parse_part),
    }
}

/// The result of a call. What is not a text is sent as JSON.
fn result(part: &WirePart<'_>, is_error: bool) -> Message {
    let (id, name) = (SmolStr::new(part.tool_call_id.as_str()), part.tool_name.non_empty());
    let result = ToolResult { id, name, text: text(part.content).into(), attachments: Vec::new(), is_error };
    Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))])
}

fn text(raw: Option<Raw<'_>>) -> String {
    let text =
        raw.map(|raw| raw.text().map_or_else(|| image::without_data(raw.value()).to_string(), |text| text.to_string()));
    text.unwrap_or_default()
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage {
    #[serde(rename = "input_tokens", alias = "request_tokens")]
    input: TokenCount,
    #[serde(rename = "output_tokens", alias = "response_tokens")]
    output: TokenCount,
    #[serde(rename = "cache_read_tokens")]
    cache_read: TokenCount,
    #[serde(rename = "cache_write_tokens")]
    cache_write: TokenCount,
}

/// Usage of a response: the input includes cache reads and cache writes.
fn response_usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let wire: WireUsage = raw.and_then(Raw::object)?;
    let recorded = [wire.input, wire.cache_read, wire.cache_write, wire.output];
    Some(usage::with_larger_cache(recorded)).filter(|usage| usage.total() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript;

    const MESSAGES: &str = r#"[{"kind":"request","instructions":"Be brief.","parts":[{"part_kind":"system-prompt","content":"Fix bugs."},
        {"part_kind":"user-prompt","content":["go",{"kind":"binary","media_type":"image/png","data":"TWFu"}],"timestamp":"t1"}]},
        {"kind":"response","model_name":"m","timestamp":"t2","usage":{"input_tokens":100,"cache_read_tokens":60,"output_tokens":5},"parts":[
        {"part_kind":"thinking","content":"hm","signature":"s"},{"part_kind":"tool-call","tool_name":"ls","args":"{\"p\":1}","tool_call_id":"a"},
        {"part_kind":"tool-call","tool_name":"cat","args":{"p":2},"tool_call_id":"b"}]},
        {"kind":"request","parts":[{"part_kind":"tool-return","tool_name":"ls","tool_call_id":"a","content":{"x":1}},
        {"part_kind":"retry-prompt","tool_name":"cat","tool_call_id":"b","content":"no such file"},{"part_kind":"retry-prompt","content":"Answer."}]},
        {"kind":"response","parts":[{"part_kind":"text","content":"ok"}],"usage":{"request_tokens":9,"response_tokens":2}}]"#;

    #[test]
    fn parts_are_messages_and_a_request_to_try_a_call_again_is_its_failed_result() {
        let file = transcript::read(MESSAGES.as_bytes(), None).expect("reads");
        let read = &file.transcripts[0];
        let roles: String = read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect();
        assert_eq!((file.format, roles.as_str()), ("pydantic_ai", "ssuattua"));
        let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
        let outcome: Vec<_> = results.iter().map(|result| (result.text.as_ref(), result.is_error)).collect();
        assert_eq!(outcome, [(r#"{"x":1}"#, false), ("no such file", true)]);
        assert!(read.messages[6].harness && !read.messages[2].harness);
        let usage = Usage { input: 40, cache_read: 60, output: 5, ..Usage::default() };
        assert_eq!((read.messages[3].usage, read.messages[7].usage.map(Usage::context)), (Some(usage), Some(9)));
        assert!(matches!(read.messages[2].parts[1].body, Body::Image { bytes: 3, .. }));
    }

    #[test]
    fn an_object_with_messages_and_lines_of_lists_are_read() {
        let object = format!(r#"{{"run":1,"all_messages":{MESSAGES}}}"#);
        let lines = format!("{0}\n{0}\n", MESSAGES.replace('\n', ""));
        let count = |text: &str| transcript::read(text.as_bytes(), None).expect("reads").transcripts.len();
        assert_eq!((count(&object), count(&lines)), (1, 2));
    }
}
