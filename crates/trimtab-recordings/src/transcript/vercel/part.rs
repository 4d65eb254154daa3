//! The parts of messages, of all versions.

use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, ToolResult};

use super::fields;
use crate::transcript::wire::{self, Flag, Raw, Str, Text};
use crate::transcript::{block, image};

/// A part, or a tool invocation of version 4.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    text: Text,
    reasoning: Text,
    tool_call_id: Str<'a>,
    tool_name: Str<'a>,
    state: Str<'a>,
    args: Option<Raw<'a>>,
    input: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
    output: Option<Raw<'a>>,
    error_text: Text,
    is_error: Flag,
    pub(super) tool_invocation: Option<Raw<'a>>,
    media_type: Str<'a>,
    mime_type: Str<'a>,
    url: Str<'a>,
    data: Str<'a>,
    image: Str<'a>,
    provider_metadata: Option<Raw<'a>>,
    provider_options: Option<Raw<'a>>,
}

impl WirePart<'_> {
    /// Returns whether this is a part of the user interface with a call and its result.
    pub(super) fn is_invocation(&self) -> bool {
        let kind = self.kind.as_str();
        kind == "dynamic-tool"
            || kind.starts_with("tool-") && !matches!(kind, "tool-call" | "tool-result" | "tool-invocation")
    }

    pub(super) fn call(&self) -> Body {
        let name = self.tool_name.get().or_else(|| self.kind.get()?.strip_prefix("tool-")).unwrap_or_default();
        Body::ToolCall {
            id: SmolStr::new(self.tool_call_id.as_str()),
            name: SmolStr::new(name),
            arguments: wire::arguments(self.input.or(self.args)),
        }
    }

    /// The result, if there is one.
    pub(super) fn result(&self) -> Option<Body> {
        let failed = self.is_error.0 || matches!(self.state.as_str(), "output-error" | "output-denied");
        let (text, attachments, is_error) = match (&self.error_text.0, self.output.or(self.result)) {
            (Some(text), _) if failed => (text.clone(), Vec::new(), true),
            (_, Some(raw)) => output(raw),
            (_, None) if failed => Default::default(),
            (_, None) => return None,
        };
        let id = SmolStr::new(self.tool_call_id.as_str());
        let result =
            ToolResult { id, name: self.tool_name.non_empty(), text, attachments, is_error: is_error || failed };
        Some(Body::ToolResult(Box::new(result)))
    }

    fn file(&self) -> Option<Body> {
        let media_type = self.media_type.get().or(self.mime_type.get());
        let source = [&self.image, &self.data, &self.url].into_iter().find_map(Str::get)?;
        let is_image = self.kind.as_str() == "image" || media_type.is_some_and(|kind| kind.starts_with("image/"));
        let is_url = ["data:", "http:", "https:"].iter().any(|scheme| source.starts_with(scheme));
        let media_type = media_type.unwrap_or(image::ANY_TYPE);
        is_image.then(|| if is_url { image::from_url(source) } else { image::from_data(media_type, source) })
    }

    /// The signature of reasoning, which depends on the provider.
    fn signature(&self) -> Option<Box<str>> {
        let metadata = self.provider_metadata.or(self.provider_options)?;
        let keys = ["signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"];
        let providers = fields(metadata).0.into_iter();
        let mut found = providers.flat_map(|(_, raw)| keys.map(|key| fields(raw).get(key).and_then(Raw::text)));
        found.find_map(|text| text).map(|text| text.as_ref().into())
    }
}

/// Reads a part of a message to or from the model, or of the user interface if it has no call.
pub(super) fn parse(raw: Raw<'_>) -> Body {
    block::parse_part(raw, parse_known)
}

fn parse_known(part: WirePart<'_>) -> Option<Body> {
    match part.kind.as_str() {
        "text" => part.text.0.map(Body::Text),
        "reasoning" => {
            let signature = part.signature();
            Some(Body::Thinking { text: part.text.0.or(part.reasoning.0).unwrap_or_default(), signature })
        }
        "tool-call" => Some(part.call()),
        "tool-result" => part.result(),
        "image" | "file" => part.file(),
        _ => None,
    }
}

/// The text of a result, what else it contains, and whether it is an error.
fn output(raw: Raw<'_>) -> (std::sync::Arc<str>, Vec<Body>, bool) {
    let typed = fields(raw);
    let kind = typed.get("type").and_then(Raw::text);
    match (kind.as_deref(), typed.get("value")) {
        (Some("content"), Some(value)) => {
            let (text, attachments) = block::join_texts(value.elements().map(parse).collect());
            (text, attachments, false)
        }
        (Some(kind @ ("text" | "json" | "error-text" | "error-json")), Some(value)) => {
            (plain(value), Vec::new(), kind.starts_with("error"))
        }
        (Some("execution-denied"), _) => (typed.get("reason").map(plain).unwrap_or_default(), Vec::new(), true),
        _ => (plain(raw), Vec::new(), false),
    }
}

/// A string, or any other value as JSON.
pub(super) fn plain(raw: Raw<'_>) -> std::sync::Arc<str> {
    match image::without_data(raw.value()) {
        Json::String(text) => text.into(),
        json => json.to_string().into(),
    }
}
