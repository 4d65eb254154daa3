//! Recordings of agents: files of several formats, read into transcripts of canonical messages.
//!
//! In: the bytes of a file. Out: transcripts, with what was skipped and why; and transcripts written in the own form.
//! It does not know policies, and opens no file.

mod anthropic_messages;
mod claude_code;
mod openai_chat;
mod trimtab;

mod block;
mod decode;
mod envelope;
mod error;
mod foreign;
mod image;
mod record;
mod sample;
mod time;
mod tool;
mod wire;
mod write;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use smol_str::SmolStr;

pub use error::{ReadError, Unread};
pub use sample::{Object, Peek, Sample};
pub use write::{message_json, write};

use crate::conversation::Message;

/// A format of recordings.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--input-format` takes it.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Whether a file is one of its own.
    pub sniff: fn(&Sample<'_>) -> bool,
    /// Reads a file.
    pub read: fn(&str) -> Result<Vec<Transcript>, ReadError>,
}

/// Every format, in the order in which they are asked: the most specific first, chat last.
pub static FORMATS: &[&Format] =
    &[&trimtab::TRIMTAB, &claude_code::CLAUDE_CODE, &anthropic_messages::ANTHROPIC_MESSAGES, &openai_chat::OPENAI_CHAT];

/// The format of a name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// A file that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The format that it was read as.
    pub format: &'static str,
    /// Every format that took it for one of its own, in the order of [`FORMATS`].
    pub sniffed: Vec<&'static str>,
    /// How many places were no valid text and were replaced by U+FFFD.
    pub replaced: u64,
    /// Its conversations, at least one; each has an id that no other has.
    pub transcripts: Vec<Transcript>,
}

/// Reads a file as the named format, or as the first that recognises it.
///
/// # Errors
///
/// When the file is empty or cut off, when no format recognises it, or when it has no record of the named format.
pub fn read(bytes: &[u8], format: Option<&str>) -> Result<Reading, ReadError> {
    let decoded = decode::decode(bytes);
    let text = decoded.text.as_ref();
    if text.trim().is_empty() {
        return Err(error::empty());
    }
    let sample = Sample::of(text);
    let sniffed: Vec<_> = FORMATS.iter().copied().filter(|format| (format.sniff)(&sample)).collect();
    let chosen = match format {
        Some(name) => find(name).ok_or_else(|| error::unknown_format(name))?,
        None => match (foreign::mistaken(&sample), sniffed.first()) {
            (None, Some(chosen)) => chosen,
            _ => return Err(error::unrecognised(&sample, text)),
        },
    };
    let mut transcripts = (chosen.read)(text)?;
    let is_empty = transcripts.iter().all(|transcript| transcript.messages.is_empty());
    if is_empty && !sniffed.iter().any(|format| std::ptr::eq(*format, chosen)) {
        return Err(error::no_record(chosen.name, text));
    }
    for transcript in &mut transcripts {
        transcript.format = chosen.name;
    }
    name_apart(&mut transcripts);
    let sniffed = sniffed.iter().map(|format| format.name).collect();
    Ok(Reading { format: chosen.name, sniffed, replaced: decoded.replaced, transcripts })
}

/// Gives several conversations of a file distinct ids: the recorded one, else the place in the file.
fn name_apart(transcripts: &mut [Transcript]) {
    if transcripts.len() < 2 {
        return;
    }
    let mut taken: HashMap<String, usize> = HashMap::new();
    for (place, transcript) in transcripts.iter_mut().enumerate() {
        if transcript.id.is_empty() {
            transcript.id = place.to_string();
        }
        while let Some(times) = taken.get_mut(&transcript.id) {
            *times += 1;
            transcript.id = format!("{}.{times}", transcript.id);
        }
        taken.insert(transcript.id.clone(), 1);
    }
}

/// The model that wrote most of the messages; of several the one that came first.
fn usual_model(messages: &[Arc<Message>]) -> Option<SmolStr> {
    let mut counts: Vec<(&SmolStr, usize)> = Vec::new();
    for model in messages.iter().filter_map(|message| message.model.as_ref()) {
        match counts.iter_mut().find(|(name, _)| *name == model) {
            Some((_, count)) => *count += 1,
            None => counts.push((model, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map(|(name, _)| name.clone())
}

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
    /// The sub-agent whose conversation it is, where the recording says so.
    pub agent: Option<SmolStr>,
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

#[cfg(test)]
mod tests;
