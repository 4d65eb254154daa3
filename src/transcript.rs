//! Recordings of agents: files of several formats, read into transcripts of canonical messages.
//!
//! In: the bytes of a file and its name. Out: transcripts, with what was skipped and why.
//! It does not know policies, and opens no file.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use crate::conversation::Message;

/// A tool that a recording declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: SmolStr,
    /// What it is for, as the model is told.
    pub description: Option<Box<str>>,
    /// The JSON schema of its arguments, as text.
    pub schema: Option<Box<str>>,
}

/// One recorded conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// What the recording calls itself, or what tells it from others of its file; empty when it is alone in its file.
    pub id: String,
    /// The format that it was read from.
    pub format: &'static str,
    /// The model that wrote most replies, where the recording says so.
    pub model: Option<SmolStr>,
    /// The context window in tokens, where the recording says so.
    pub window: Option<u64>,
    /// The declared tools; empty when the recording does not hold them.
    pub tools: Vec<Tool>,
    /// When it began, as recorded.
    pub started: Option<SmolStr>,
    /// The messages in order, one tool result a message.
    pub messages: Vec<Arc<Message>>,
    /// Records that are not part of the conversation, by kind.
    pub skipped: BTreeMap<String, u64>,
}
