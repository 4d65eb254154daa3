//! Recordings.

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use crate::error::{Kind, Result};

/// One recorded conversation.
#[napi]
pub(crate) struct Transcript(pub(crate) trimtab::Transcript);

/// Reads the conversations of a recording.
#[napi(catch_unwind)]
pub(crate) fn read_transcripts(data: Uint8Array, format: Option<String>) -> Result<Vec<Transcript>> {
    let transcripts = trimtab::read_transcripts(&data, format.as_deref()).map_err(|error| match error.line {
        Some(line) => Kind::Value.error(format!("line {line}: {}", error.message)),
        None => Kind::Value.error(error.message),
    })?;
    Ok(transcripts.into_iter().map(Transcript).collect())
}

#[napi]
impl Transcript {
    /// Its id; empty if it is the only conversation of its file.
    #[napi(getter, catch_unwind)]
    pub fn id(&self) -> &str {
        self.0.id()
    }

    /// The format from which it was read.
    #[napi(getter, catch_unwind)]
    pub fn format(&self) -> &'static str {
        self.0.format()
    }

    /// The model that wrote most replies.
    #[napi(getter, catch_unwind)]
    pub fn model(&self) -> Option<&str> {
        self.0.model()
    }

    /// The context window in tokens.
    #[napi(getter, catch_unwind)]
    pub fn window(&self) -> Option<i64> {
        self.0.window().and_then(|window| i64::try_from(window).ok())
    }

    /// The number of messages.
    #[napi(getter, catch_unwind)]
    pub fn messages(&self) -> u32 {
        u32::try_from(self.0.messages()).unwrap_or(u32::MAX)
    }

    /// The conversation in the form of Trimtab's own recordings.
    #[napi(catch_unwind)]
    pub fn to_jsonl(&self) -> String {
        self.0.to_jsonl()
    }
}
