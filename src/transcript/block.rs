//! The content blocks of Anthropic messages, which several formats share.
//!
//! In: the `content` of a message. Out: its tool results, and its other parts in order.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use smol_str::SmolStr;

use super::image;
use super::wire::{self, Count, Flag, Str, Words};
use crate::conversation::{Body, Message, Part, Role, ToolResult, Usage};

/// What a message holds.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Its tool results, in order.
    pub(super) results: Vec<ToolResult>,
    /// Everything else, in order.
    pub(super) rest: Vec<Part>,
}

impl Content {
    /// The tool messages first, a result each, then a message of the rest if there is any; of a reply the rest first.
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
    text: Words,
    thinking: Words,
    #[serde(borrow)]
    signature: Str<'a>,
    #[serde(borrow)]
    data: Str<'a>,
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(borrow)]
    name: Str<'a>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Str<'a>,
    #[serde(borrow)]
    content: wire::Content<'a>,
    is_error: Flag,
    #[serde(borrow, deserialize_with = "wire::lenient")]
    source: Source<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Source<'a> {
    #[serde(borrow)]
    media_type: Str<'a>,
    #[serde(borrow)]
    data: Str<'a>,
    #[serde(borrow)]
    url: Str<'a>,
}

/// Reads the content of a message: a string, a list of blocks and strings, or nothing.
pub(super) fn content(wire: wire::Content<'_>) -> Content {
    let mut content = Content::default();
    for body in bodies(wire, body) {
        match body {
            Body::ToolResult(result) => content.results.push(*result),
            other => content.rest.push(Part::new(other)),
        }
    }
    content
}

/// The parts of a content, its pieces read by `body`.
pub(super) fn bodies(content: wire::Content<'_>, body: fn(&RawValue) -> Body) -> Vec<Body> {
    match content {
        wire::Content::None => Vec::new(),
        wire::Content::Text(text) => vec![Body::Text(text)],
        wire::Content::List(pieces) => pieces.into_iter().map(body).collect(),
        wire::Content::Fields(fields) => vec![Body::Other(Box::new(image::without_data(fields.value())))],
    }
}

/// One block, or a string in place of a text block.
fn body(raw: &RawValue) -> Body {
    if wire::is_string(raw) {
        return Body::Text(wire::parse::<Words>(raw).and_then(|words| words.0).unwrap_or_default());
    }
    wire::object(raw).and_then(known).unwrap_or_else(|| Body::Other(Box::new(image::without_data(wire::value(raw)))))
}

/// The block as a part that trimtab acts on.
fn known(block: Block<'_>) -> Option<Body> {
    Some(match block.kind.word() {
        "text" => Body::Text(block.text.0?),
        "thinking" => Body::Thinking {
            text: block.thinking.0.unwrap_or_default(),
            signature: block.signature.get().filter(|text| !text.is_empty()).map(Into::into),
        },
        "redacted_thinking" => Body::Thinking { text: Arc::default(), signature: Some(block.data.word().into()) },
        "image" => picture(&block.source),
        "tool_use" => Body::ToolCall {
            id: SmolStr::new(block.id.word()),
            name: SmolStr::new(block.name.word()),
            arguments: wire::arguments(block.input),
        },
        "tool_result" => Body::ToolResult(Box::new(result(block))),
        _ => return None,
    })
}

fn picture(source: &Source<'_>) -> Body {
    let media_type = source.media_type.get().filter(|kind| !kind.is_empty()).unwrap_or(image::ANY);
    match (source.data.get(), source.url.get()) {
        (Some(data), _) => image::from_data(media_type, data),
        (None, Some(url)) => image::from_url(url),
        (None, None) => image::unknown(media_type),
    }
}

/// A result; the texts of its content are joined by line breaks, everything else is attached.
fn result(block: Block<'_>) -> ToolResult {
    let (text, attachments) = text_and_rest(bodies(block.content, body));
    let id = SmolStr::new(block.tool_use_id.word());
    ToolResult { id, name: None, text, attachments, is_error: block.is_error.0 }
}

/// The texts joined by line breaks, and everything else.
pub(super) fn text_and_rest(bodies: Vec<Body>) -> (Arc<str>, Vec<Body>) {
    let mut texts = Vec::new();
    let mut rest = Vec::new();
    for body in bodies {
        match body {
            Body::Text(text) => texts.push(text),
            other => rest.push(other),
        }
    }
    let text = match texts.as_slice() {
        [only] => Arc::clone(only),
        several => several.join("\n").into(),
    };
    (text, rest)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct UsageWire {
    #[serde(rename = "input_tokens")]
    input: Count,
    #[serde(rename = "cache_read_input_tokens")]
    cache_read: Count,
    #[serde(rename = "cache_creation_input_tokens")]
    cache_write: Count,
    #[serde(rename = "output_tokens")]
    output: Count,
}

/// Usage as Anthropic counts it: the input excludes what was read from or written to the cache.
pub(super) fn usage(raw: Option<&RawValue>) -> Option<Usage> {
    let wire: UsageWire = raw.and_then(wire::object)?;
    let (cache_read, cache_write) = (wire.cache_read.or_zero(), wire.cache_write.or_zero());
    Some(Usage { input: wire.input.or_zero(), cache_read, cache_write, output: wire.output.or_zero() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Content {
        content(serde_json::from_str(text).expect("JSON"))
    }

    #[test]
    fn results_come_before_the_rest_of_a_user_message() {
        let text = r#"[{"type":"text","text":"note"},{"type":"tool_result","tool_use_id":"a","content":"x"},
            {"type":"tool_result","tool_use_id":"b","is_error":true}]"#;
        let messages = read(text).into_messages(Role::User);
        let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::Tool, Role::Tool, Role::User]);
        assert_eq!(messages[1], Message::new(Role::Tool, vec![Part::result("b", "", true)]));
    }

    #[test]
    fn texts_of_a_result_are_joined_and_images_measured() {
        let text = r#"[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"x"},"y",
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"TWFu"}},
            {"type":"tool_reference","tool_name":"t"}]}]"#;
        let result = &read(text).results[0];
        assert_eq!(result.text.as_ref(), "x\ny");
        assert_eq!(result.attachments[0], Body::Image { media_type: "image/png".into(), bytes: 3, size: None });
        assert!(matches!(&result.attachments[1], Body::Other(json) if json["tool_name"] == "t"));
    }

    #[test]
    fn thinking_without_readable_text_keeps_what_is_encrypted() {
        let content =
            read(r#"[{"type":"redacted_thinking","data":"abc"},{"type":"thinking","thinking":"t","signature":"s"}]"#);
        let thinking = |text: &str, signature: &str| {
            Part::new(Body::Thinking { text: text.into(), signature: Some(signature.into()) })
        };
        assert_eq!(content.rest, [thinking("", "abc"), thinking("t", "s")]);
    }

    #[test]
    fn content_may_be_a_string_null_or_of_no_known_shape() {
        assert_eq!(read(r#""hello""#).rest, [Part::text("hello")]);
        assert!(read("null").rest.is_empty());
        let content = read(r#"[{"type":"text","text":7},42,{"type":"novel","x":1}]"#);
        assert!(content.rest.iter().all(|part| matches!(part.body, Body::Other(_))));
        assert_eq!(content.rest.len(), 3);
    }
}
