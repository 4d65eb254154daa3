//! Parsing of the parts of a message.

use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, ToolResult, Usage};

use super::Time;
use crate::transcript::wire::{self, Fields, Flag, List, Raw, Str, Text, TokenCount};
use crate::transcript::{image, usage};

/// A part of a message.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Str<'a>,
    pub(super) text: Text,
    /// Whether OpenCode wrote the text.
    pub(super) synthetic: Flag,
    /// Whether the text is shown but not sent.
    pub(super) ignored: Flag,
    /// Whether OpenCode compacted by itself.
    pub(super) auto: Flag,
    /// The id of the first message that OpenCode keeps when it compacts.
    pub(super) tail_start_id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    pub(super) time: Time,
    #[serde(rename = "callID")]
    pub(super) call_id: Str<'a>,
    tool: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    pub(super) state: ToolState<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    tokens: Tokens,
    metadata: Option<Raw<'a>>,
    mime: Str<'a>,
    url: Str<'a>,
}

/// A call with its result.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ToolState<'a> {
    #[serde(borrow)]
    status: Str<'a>,
    input: Option<Raw<'a>>,
    output: Text,
    error: Text,
    attachments: List<'a>,
    metadata: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    pub(super) time: Time,
}

/// What OpenCode records about a command.
#[derive(Deserialize, Default)]
#[serde(default)]
struct CommandMetadata<'a> {
    #[serde(borrow)]
    exit: Option<Raw<'a>>,
}

impl ToolState<'_> {
    /// Whether the call was a command that ended with an exit code other than 0.
    fn is_failed_command(&self) -> bool {
        let metadata: CommandMetadata<'_> = wire::parse_or_default(self.metadata.filter(|raw| raw.is_object()));
        metadata.exit.and_then(Raw::parse::<i64>).is_some_and(|code| code != 0)
    }
}

/// The tokens of a model call.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    total: TokenCount,
    input: TokenCount,
    output: TokenCount,
    #[serde(deserialize_with = "wire::lenient")]
    cache: CacheTokens,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct CacheTokens {
    read: TokenCount,
    write: TokenCount,
}

impl Tokens {
    /// Returns the usage, or `None` if all counts are 0. The input excludes the cache. Newer versions record an output
    /// without reasoning; the total includes it.
    pub(super) fn usage(self) -> Option<Usage> {
        let stated = usage::beside_cache([self.input, self.cache.read, self.cache.write, self.output]);
        let usage = usage::usage([self.total], |[total]| Usage {
            output: stated.output.max(total.saturating_sub(stated.context())),
            ..stated
        });
        Some(usage).filter(|usage| usage.total() > 0)
    }
}

impl WirePart<'_> {
    /// The usage of a finished step.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.tokens.usage()
    }

    /// The reasoning, with its encrypted form or signature from the metadata of the provider.
    pub(super) fn thinking(&self) -> Body {
        Body::Thinking { text: self.text.0.clone().unwrap_or_default(), signature: signature(self.metadata) }
    }

    /// The image in a file part. Other files are not sent as files.
    pub(super) fn image(&self) -> Option<Body> {
        self.mime.as_str().starts_with("image/").then(|| image::from_url(self.url.as_str()))
    }

    /// The call.
    pub(super) fn call(&self, id: SmolStr) -> Body {
        Body::ToolCall { id, name: SmolStr::new(self.tool.as_str()), arguments: wire::arguments(self.state.input) }
    }

    /// Returns the result of the call, or `None` while it runs.
    pub(super) fn result(&self, id: SmolStr) -> Option<ToolResult> {
        let state = &self.state;
        let is_error = match state.status.as_str() {
            "completed" => false,
            "error" => true,
            _ => return None,
        };
        let text: Option<&Arc<str>> = if is_error { state.error.0.as_ref() } else { state.output.0.as_ref() };
        let attachments = state.attachments.0.iter().flatten();
        let attachments = attachments.filter_map(|raw| raw.object::<WirePart<'_>>()?.image());
        Some(ToolResult {
            id,
            name: Some(SmolStr::new(self.tool.as_str())),
            text: text.cloned().unwrap_or_default(),
            attachments: attachments.collect(),
            is_error: is_error || state.is_failed_command(),
        })
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ReasoningMetadata<'a> {
    #[serde(borrow)]
    signature: Str<'a>,
    #[serde(rename = "redactedData")]
    redacted_data: Str<'a>,
    #[serde(rename = "reasoningEncryptedContent")]
    encrypted_content: Str<'a>,
}

/// The signature in the metadata, which is an object for each provider.
fn signature(metadata: Option<Raw<'_>>) -> Option<Box<str>> {
    let providers: Fields<'_> = metadata.and_then(Raw::object)?;
    providers.0.iter().find_map(|(_, raw)| {
        let metadata: ReasoningMetadata<'_> = raw.object()?;
        let texts = [&metadata.signature, &metadata.encrypted_content, &metadata.redacted_data];
        texts.into_iter().filter_map(Str::get).find(|text| !text.is_empty()).map(Into::into)
    })
}
