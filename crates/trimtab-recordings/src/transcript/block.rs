//! The content blocks of Anthropic messages, which several formats share.
//!
//! [`parse_content`] reads the `content` of a message into its tool results and its other parts.

use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult, Usage};

use super::harness_call::{HarnessCall, HarnessCallKind};
use super::image;
use super::usage;
use super::wire::{self, Flag, List, Raw, Str, Text, TokenCount};

/// The content of a message, with the tool results separated from the other parts.
#[derive(Debug, Default)]
pub(super) struct SplitContent {
    /// The tool results, in order.
    pub(super) results: Vec<ToolResult>,
    /// All other parts, in order.
    pub(super) rest: Vec<Part>,
}

impl SplitContent {
    /// Adds a part.
    pub(super) fn add(&mut self, body: Body) {
        match body {
            Body::ToolResult(result) => self.results.push(*result),
            other => self.rest.push(Part::new(other)),
        }
    }

    /// Returns one tool message per result, and a message with the remaining parts: after the results, but before them
    /// in a reply.
    pub(super) fn into_messages(self, role: Role) -> Vec<Message> {
        let result = |result| Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))]);
        let mut messages: Vec<_> = self.results.into_iter().map(result).collect();
        if !self.rest.is_empty() {
            let at = if role == Role::Assistant { 0 } else { messages.len() };
            messages.insert(at, Message::new(role, self.rest));
        }
        messages
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    text: Text,
    thinking: Text,
    signature: Str<'a>,
    data: Str<'a>,
    id: Str<'a>,
    name: Str<'a>,
    input: Option<Raw<'a>>,
    tool_use_id: Str<'a>,
    content: wire::Content<'a>,
    is_error: Flag,
    #[serde(deserialize_with = "wire::lenient")]
    source: Source<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Source<'a> {
    #[serde(borrow)]
    media_type: Str<'a>,
    data: Str<'a>,
    url: Str<'a>,
}

/// Reads the content of a message: a string, a list of blocks and strings, or nothing.
pub(super) fn parse_content(content: wire::Content<'_>) -> SplitContent {
    let mut split = SplitContent::default();
    for body in parse_parts(content, parse_block) {
        split.add(body);
    }
    split
}

/// Reads content whose list elements are parsed by `parse_part`.
pub(super) fn parse_parts(content: wire::Content<'_>, parse_part: fn(Raw<'_>) -> Body) -> Vec<Body> {
    match content {
        wire::Content::None => Vec::new(),
        wire::Content::Text(text) => vec![Body::Text(text)],
        wire::Content::List(parts) => {
            let runs = parts.chunk_by(|one, next| is_scalar(*one) && is_scalar(*next));
            runs.map(|run| if let [one] = run { parse_part(*one) } else { scalars(run) }).collect()
        }
        wire::Content::Fields(fields) => vec![Body::Other(Box::new(image::without_data(fields.value())))],
    }
}

/// Whether an element of a content list is a number, a truth value or null, which no API has.
fn is_scalar(raw: Raw<'_>) -> bool {
    !raw.is_object() && !raw.is_string() && !raw.is_array()
}

/// Several such elements as one part.
fn scalars(run: &[Raw<'_>]) -> Body {
    Body::Other(Box::new(run.iter().map(|raw| raw.value()).collect()))
}

/// Reads one element of a content list: a string as text, an object with `parse_known`. What `parse_known` rejects is
/// kept as recorded, except that large base64 data is replaced with its size.
pub(super) fn parse_part<'a, T: Deserialize<'a>>(raw: Raw<'a>, parse_known: fn(T) -> Option<Body>) -> Body {
    raw.text().map(Body::Text).or_else(|| raw.object().and_then(parse_known)).unwrap_or_else(|| unknown(raw))
}

/// Reads one block.
pub(super) fn parse_block(raw: Raw<'_>) -> Body {
    parse_part(raw, parse_known_block)
}

/// Reads one block where calls and results cannot be, such as in recorded reasoning.
pub(super) fn parse_plain_block(raw: Raw<'_>) -> Body {
    parse_plain(raw, parse_block)
}

/// Reads an element of a content where calls and results cannot be. What looks like one is kept as recorded.
pub(super) fn parse_plain(raw: Raw<'_>, parse_part: fn(Raw<'_>) -> Body) -> Body {
    match parse_part(raw) {
        Body::ToolCall { .. } | Body::ToolResult(_) => unknown(raw),
        body => body,
    }
}

/// An element as recorded.
fn unknown(raw: Raw<'_>) -> Body {
    Body::Other(Box::new(image::without_data(raw.value())))
}

/// Reads a block of a type that Trimtab handles.
fn parse_known_block(block: Block<'_>) -> Option<Body> {
    Some(match block.kind.as_str() {
        "text" => Body::Text(block.text.0?),
        "thinking" => Body::Thinking {
            text: block.thinking.0.unwrap_or_default(),
            signature: block.signature.get().filter(|text| !text.is_empty()).map(Into::into),
        },
        "redacted_thinking" => Body::Thinking { text: Arc::default(), signature: Some(block.data.as_str().into()) },
        "image" => parse_image(&block.source),
        "tool_use" => Body::ToolCall {
            id: SmolStr::new(block.id.as_str()),
            name: SmolStr::new(block.name.as_str()),
            arguments: wire::arguments(block.input),
        },
        "tool_result" => Body::ToolResult(Box::new(parse_result(block))),
        _ => return None,
    })
}

fn parse_image(source: &Source<'_>) -> Body {
    let media_type = source.media_type.get().filter(|kind| !kind.is_empty()).unwrap_or(image::ANY_TYPE);
    match (source.data.get(), source.url.get()) {
        (Some(data), _) => image::from_data(media_type, data),
        (None, Some(url)) => image::from_url(url),
        (None, None) => image::without_size(media_type),
    }
}

fn parse_result(block: Block<'_>) -> ToolResult {
    let (text, attachments) = join_texts(parse_parts(block.content, parse_block));
    let id = SmolStr::new(block.tool_use_id.as_str());
    ToolResult { id, name: None, text, attachments, is_error: block.is_error.0 }
}

/// Separates the content of a tool result into its texts, joined with line breaks, and its attachments.
pub(super) fn join_texts(bodies: Vec<Body>) -> (Arc<str>, Vec<Body>) {
    let mut texts = Vec::new();
    let mut attachments = Vec::new();
    for body in bodies {
        match body {
            Body::Text(text) => texts.push(text),
            other => attachments.push(other),
        }
    }
    let text = match texts.as_slice() {
        [only] => Arc::clone(only),
        several => several.join("\n").into(),
    };
    (text, attachments)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage<'a> {
    #[serde(rename = "input_tokens")]
    input: TokenCount,
    #[serde(rename = "cache_read_input_tokens")]
    cache_read: TokenCount,
    #[serde(rename = "cache_creation_input_tokens")]
    cache_write: TokenCount,
    #[serde(rename = "output_tokens")]
    output: TokenCount,
    #[serde(borrow, rename = "cache_creation")]
    creation: Option<Raw<'a>>,
    #[serde(borrow)]
    speed: Str<'a>,
    #[serde(borrow, rename = "inference_geo")]
    region: Str<'a>,
    #[serde(borrow, rename = "service_tier")]
    tier: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireCreation {
    #[serde(rename = "ephemeral_1h_input_tokens")]
    hour: TokenCount,
}

/// Usage as Anthropic records it: the input excludes cache reads and cache writes.
pub(super) fn usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let wire: WireUsage<'_> = raw.and_then(Raw::object)?;
    let creation: WireCreation = wire::parse_or_default(wire.creation);
    let recorded = [wire.input, wire.cache_read, wire.cache_write, creation.hour, wire.output];
    let service = usage::service(wire.speed.as_str(), wire.region.as_str(), wire.tier.as_str());
    Some(usage::with_hour_write(recorded, service))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireIterations<'a> {
    #[serde(borrow)]
    iterations: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireIteration<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    model: Str<'a>,
}

/// The calls that the provider made before it generated a reply and that the usage of the reply excludes: of a compaction,
/// or of another model. `messages` is the number of messages before the reply, `model` that of the reply.
pub(super) fn inner_calls(raw: Option<Raw<'_>>, messages: usize, model: Option<&SmolStr>) -> Vec<HarnessCall> {
    let all: WireIterations<'_> = wire::parse_or_default(raw);
    let inner = all.iterations.0.iter().flatten().filter_map(|raw| {
        let iteration: WireIteration<'_> = raw.object()?;
        let is_inner = !matches!(iteration.kind.as_str(), "message" | "");
        let usage = usage(Some(*raw)).filter(|usage| is_inner && usage.total() > 0)?;
        let is_summary = iteration.kind.as_str() == "compaction";
        let kind = if is_summary { HarnessCallKind::Summary } else { HarnessCallKind::Other };
        Some(HarnessCall { messages, kind, usage, model: iteration.model.non_empty().or_else(|| model.cloned()) })
    });
    inner.collect()
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::{Service, Tier};

    use super::*;
    use crate::transcript::wire::Indexed;

    fn read(text: &str) -> SplitContent {
        parse_content(wire::parse_content(Indexed::of(text).as_ref().map(Indexed::raw)))
    }

    #[test]
    fn usage_says_how_the_call_was_served() {
        let service = |words: &str| {
            let json = Indexed::of(words).expect("JSON");
            usage(Some(json.raw())).expect("usage").service
        };
        let words = r#"{"input_tokens":9,"speed":"fast","inference_geo":"us","service_tier":"batch"}"#;
        assert_eq!(service(words), Service { is_fast: true, is_us_only: true, tier: Tier::Batch });
        let usual =
            r#"{"input_tokens":9,"speed":"standard","inference_geo":"not_available","service_tier":"standard"}"#;
        assert_eq!(service(usual), Service::default());
        assert_eq!(service(r#"{"input_tokens":9,"speed":null,"service_tier":7}"#), Service::default());
    }

    #[test]
    fn results_precede_the_rest_of_a_user_message() {
        let text = r#"[{"type":"text","text":"note"},{"type":"tool_result","tool_use_id":"a","content":"x"},
            {"type":"tool_result","tool_use_id":"b","is_error":true}]"#;
        let messages = read(text).into_messages(Role::User);
        let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::Tool, Role::Tool, Role::User]);
        assert_eq!(messages[1], Message::new(Role::Tool, vec![Part::result("b", "", true)]));
    }

    #[test]
    fn texts_of_a_result_are_joined_and_images_are_attached() {
        let text = r#"[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"},"y",
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"TWFu"}},
            {"type":"tool_reference","tool_name":"t"}]}]"#;
        let result = &read(text).results[0];
        assert_eq!(result.text.as_ref(), "x\ny");
        assert_eq!(result.attachments[0], Body::Image { media_type: "image/png".into(), bytes: 3, size: None });
        assert!(matches!(&result.attachments[1], Body::Other(json) if json["tool_name"] == "t"));
    }

    #[test]
    fn redacted_thinking_keeps_its_encrypted_data() {
        let content =
            read(r#"[{"type":"redacted_thinking","data":"abc"},{"type":"thinking","thinking":"t","signature":"s"}]"#);
        let thinking = |text: &str, signature: &str| {
            Part::new(Body::Thinking { text: text.into(), signature: Some(signature.into()) })
        };
        assert_eq!(content.rest, [thinking("", "abc"), thinking("t", "s")]);
    }

    #[test]
    fn content_may_be_a_string_null_or_blocks_of_unknown_types() {
        assert_eq!(read(r#""hello""#).rest, [Part::text("hello")]);
        assert!(read("null").rest.is_empty());
        let content = read(r#"[{"type":"text","text":7},42,{"type":"novel","x":1}]"#);
        assert!(content.rest.iter().all(|part| matches!(part.body, Body::Other(_))));
        assert_eq!(content.rest.len(), 3);
    }
}
