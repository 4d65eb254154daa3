//! Recorded agent sessions: the supported file formats and the transcripts that they are read into.
//!
//! [`read`] detects the format of a file from its bytes and returns one or more [`Transcript`]s of canonical messages,
//! with a count of the records that it skipped. [`write()`] formats a transcript as Trimtab JSONL. The module
//! opens no files and does not depend on policies.
//!
//! A format is one file with a [`Format`] descriptor, which [`FORMATS`] lists.

pub mod api;

mod adk;
mod agentdojo;
mod aider;
mod amp;
mod anthropic_messages;
mod atif;
mod bedrock;
mod claude_code;
mod claude_stream;
mod claude_web;
mod codex;
mod continue_dev;
mod copilot;
mod droid;
mod gemini_chat;
mod gemini_contents;
mod hermes;
mod inspect;
mod langchain;
mod mini_swe_agent;
mod openai_chat;
mod openai_responses;
mod openclaw;
mod opencode;
mod openhands;
mod otel;
mod pi;
mod pydantic_ai;
mod qwen;
mod swe_agent;
mod tau2;
mod trimtab;
mod vercel;

mod archive;
mod block;
mod call_id;
mod compaction;
mod decode;
mod envelope;
mod error;
mod harness_call;
mod history;
mod host_event;
mod image;
mod inferred_error;
mod internal_agent;
mod item;
mod limit;
mod line;
mod live;
mod mismatch;
mod missing_content;
mod pieces;
mod plausible;
mod quirk;
mod reader;
mod record;
mod request_records;
mod sample;
mod time;
mod tool;
mod unsupported;
mod usage;
mod wire;
mod write;
mod zstd;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;
use serde_json::{Map, Value as Json};
use smol_str::SmolStr;
pub use trimtab::read_message;
use trimtab_base::conversation::{Message, Role};
use trimtab_base::playbook::Delta;

use archive::Archive;
pub use error::{ReadError, Unsupported};
pub use harness_call::{HARNESS_CALL_KINDS, HarnessCall, HarnessCallKind};
pub use host_event::{EventMoment, RecordedEvent, Reported, Requested, event_json};
pub use inferred_error::infer_errors;
pub use internal_agent::is_internal_agent;
pub use live::Live;
pub use pieces::{Piece, Pieces, ReadPiece, no_conversation};
use quirk::Quirk;
use reader::Reader;
use record::Input;
use sample::Sample;
pub use unsupported::{UNSUPPORTED_FORMATS, UnsupportedFormat};
pub use write::{answer_json, message_json, write};

/// A supported recording format.
#[derive(Debug)]
pub struct Format {
    /// The name that `--input-format` takes.
    pub name: &'static str,
    /// The name that people know it by, such as `Claude Code sessions`.
    pub title: &'static str,
    /// The files that it covers, in one line.
    pub summary: &'static str,
    /// Returns whether a file looks like a recording in this format.
    sniff: fn(&Sample<'_>) -> bool,
    reader: Reader,
    /// Classifies lines, for formats whose files contain several conversations in sequence.
    line: Option<line::Classify>,
    /// How it differs from most formats.
    quirks: &'static [Quirk],
}

/// Every supported format, in detection order: the most specific first, OpenAI chat last.
pub static FORMATS: &[&Format] = &[
    &trimtab::TRIMTAB,
    &claude_web::CLAUDE_WEB,
    &claude_stream::CLAUDE_STREAM,
    // Before the formats of single messages, which its events contain.
    &openclaw::OPENCLAW,
    // Before Claude Code, whose records have the same types.
    &qwen::QWEN,
    &claude_code::CLAUDE_CODE,
    &inspect::INSPECT,
    &otel::OTEL,
    &langchain::LANGCHAIN,
    &vercel::VERCEL,
    &pydantic_ai::PYDANTIC_AI,
    &adk::ADK,
    &continue_dev::CONTINUE,
    &codex::CODEX,
    &copilot::COPILOT,
    &gemini_chat::GEMINI_CHAT,
    // Before Anthropic messages, whose responses look like message items.
    &openai_responses::OPENAI_RESPONSES,
    &opencode::OPENCODE,
    &aider::AIDER,
    &agentdojo::AGENTDOJO,
    &openhands::OPENHANDS,
    // Before pi, whose messages have the same keys.
    &droid::DROID,
    &pi::PI,
    &tau2::TAU2,
    &atif::ATIF,
    &mini_swe_agent::MINI_SWE_AGENT,
    &swe_agent::SWE_AGENT,
    &hermes::HERMES,
    // Before Anthropic messages, which theirs resemble.
    &amp::AMP,
    &bedrock::BEDROCK,
    &anthropic_messages::ANTHROPIC_MESSAGES,
    &gemini_contents::GEMINI_CONTENTS,
    // Last, because it accepts any list of messages with roles.
    &openai_chat::OPENAI_CHAT,
];

/// Returns the format with this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

/// The transcripts of a file and how they were read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadFile {
    /// The name of the format that the file was read as.
    pub format: &'static str,
    /// The names of all formats that recognised the file, in the order of [`FORMATS`].
    pub sniffed: Vec<&'static str>,
    /// How many invalid byte sequences and lone surrogates were replaced with U+FFFD.
    pub replaced: u64,
    /// The conversations of the file: at least one, each with a different id.
    pub transcripts: Vec<Transcript>,
}

/// Reads a file in the given format, or in the first format that recognises it.
///
/// # Errors
///
/// When the file is empty, truncated or has too many values, when the given format is unknown, when no format recognises the file,
/// when no record is in the given format, or when reading it would lose all messages, all tool calls or all results.
pub fn read(bytes: &[u8], format: Option<&str>) -> Result<ReadFile, ReadError> {
    if let Some(archive) = Archive::open(bytes) {
        return read_archive(archive, format);
    }
    let decoded = decode::decode(bytes);
    if decoded.text.trim().is_empty() {
        return Err(error::empty());
    }
    let input = Input::of(&decoded.text);
    check_limits(&input)?;
    let (repaired, lone) = input.repaired().unzip();
    let input = repaired.as_deref().map_or(input, Input::of);
    check_limits(&input)?;
    let (chosen, sniffed) = choose(&input, format)?;
    let is_sniffed = sniffed.iter().any(|format| std::ptr::eq(*format, chosen));
    let mut transcripts = if is_sniffed { chosen.read(&input) } else { chosen.read_without_detection(&input) }?;
    let is_empty = transcripts.iter().all(|transcript| transcript.messages.is_empty());
    if is_empty && !is_sniffed {
        return Err(error::no_record(chosen.name, &input));
    }
    if let Some(detected) = sniffed.first().filter(|format| !std::ptr::eq(**format, chosen)) {
        mismatch::check(&transcripts, (chosen, is_sniffed), detected, &input)?;
    }
    missing_content::check(&transcripts, chosen, &input)?;
    chosen.complete(&mut transcripts);
    make_ids_unique(&mut transcripts);
    let sniffed = sniffed.iter().map(|format| format.name).collect();
    Ok(ReadFile { format: chosen.name, sniffed, replaced: decoded.replaced + lone.unwrap_or(0), transcripts })
}

/// Fails if a file contains too many values.
fn check_limits(input: &Input<'_>) -> Result<(), ReadError> {
    input.excess().map_or(Ok(()), |line| Err(error::too_many_values(line)))
}

/// The requested format, or the first one that recognises a file, and all that recognise it.
fn choose(input: &Input<'_>, format: Option<&str>) -> Result<(&'static Format, Vec<&'static Format>), ReadError> {
    let sample = Sample::of(input);
    let sniffed: Vec<_> = FORMATS.iter().copied().filter(|format| (format.sniff)(&sample)).collect();
    let chosen = match format {
        Some(name) => find(name).ok_or_else(|| error::unknown_format(name))?,
        None => sniffed.first().ok_or_else(|| error::unrecognised(&sample, input.text()))?,
    };
    Ok((chosen, sniffed))
}

/// Reads an archive in the given format, or in the first format that recognises it.
fn read_archive(archive: Archive<'_>, format: Option<&str>) -> Result<ReadFile, ReadError> {
    let listing = archive.listing();
    let input = Input::of(&listing);
    let (chosen, sniffed) = choose(&input, format)?;
    let read = chosen.archive_reader().filter(|_| !sniffed.is_empty());
    let read = read.ok_or_else(|| error::no_record(chosen.name, &input))?;
    let (mut transcripts, replaced) = read(archive)?;
    chosen.complete(&mut transcripts);
    make_ids_unique(&mut transcripts);
    let sniffed = sniffed.iter().map(|format| format.name).collect();
    Ok(ReadFile { format: chosen.name, sniffed, replaced, transcripts })
}

/// Makes the ids of several conversations in one file unique.
fn make_ids_unique(transcripts: &mut [Transcript]) {
    if transcripts.len() < 2 {
        return;
    }
    let mut ids = UniqueIds::default();
    for transcript in transcripts {
        transcript.id = ids.next(std::mem::take(&mut transcript.id));
    }
}

/// Makes the ids of the conversations in a file unique: numbers those without an id by their position, and adds `.2`, `.3`
/// and so on to repeated ones.
#[derive(Debug, Default)]
pub struct UniqueIds {
    position: usize,
    uses: HashMap<String, usize>,
}

impl UniqueIds {
    /// The id of the next conversation.
    pub fn next(&mut self, recorded: String) -> String {
        let mut id = if recorded.is_empty() { self.position.to_string() } else { recorded };
        self.position += 1;
        while let Some(count) = self.uses.get_mut(&id) {
            *count += 1;
            id = format!("{id}.{count}");
        }
        self.uses.insert(id.clone(), 1);
        id
    }
}

/// The model that the first of these messages names.
fn first_model(messages: &[Arc<Message>]) -> Option<SmolStr> {
    messages.iter().find_map(|message| message.model.clone())
}

/// The time of the first of these messages that has one.
fn first_time(messages: &[Arc<Message>]) -> Option<SmolStr> {
    messages.iter().find_map(|message| message.at.clone())
}

/// A tool declared in a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name that calls use.
    pub name: SmolStr,
    /// The description sent to the model.
    pub description: Option<Box<str>>,
    /// The JSON schema of the arguments, as compact JSON text.
    pub schema: Option<Box<str>>,
}

/// An answer that a live session received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedAnswer {
    /// A summary.
    Summary(String),
    /// A summary failed, for this reason.
    Failed(String),
    /// A person decided to try the summary again.
    Retry,
    /// A person decided to continue without it.
    Continue,
    /// A person confirmed that a rule acts.
    Confirmed,
    /// A person declined it.
    Declined,
    /// What the host distilled from the calls of an iteration.
    Strategies(Vec<Delta>),
}

/// One recorded conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The recorded id; may be empty when the file contains no other conversation.
    pub id: String,
    /// The id of the sub-agent, if this is the conversation of one.
    pub agent: Option<SmolStr>,
    /// How many agents are above this one, if that is recorded.
    pub depth: Option<u64>,
    /// The name of the format that it was read from.
    pub format: &'static str,
    /// The recorded model, or that of the first reply.
    pub model: Option<SmolStr>,
    /// The recorded context window in tokens.
    pub window: Option<u64>,
    /// The declared tools; empty when none are recorded.
    pub tools: Vec<Tool>,
    /// The recorded tokens of all tool definitions.
    pub tool_tokens: Option<u64>,
    /// Unknown keys of the header of Trimtab JSONL.
    pub extra: Map<String, Json>,
    /// The recorded start time, or the time of the first message that has one.
    pub started: Option<SmolStr>,
    /// The recorded working directory of the agent.
    pub directory: Option<SmolStr>,
    /// Whether the recording begins in the middle of the conversation, so that the first contexts have messages that are not
    /// recorded.
    pub missing_history: bool,
    /// How the live session counted tokens, if one made the recording.
    pub live: Option<Live>,
    /// The messages in order, each with at most one tool result.
    pub messages: Vec<Arc<Message>>,
    /// The events and facts that the host reported, in order.
    pub events: Vec<RecordedEvent>,
    /// The model calls that the harness made for itself, such as summaries, in order. Their replies are not in `messages`.
    pub harness_calls: Vec<HarnessCall>,
    /// The number of skipped records, by kind. The first transcript of a file counts them for the whole file.
    pub skipped: BTreeMap<String, u64>,
}

impl Transcript {
    /// How many agents are above this one: the recorded depth, or else 1 for a sub-agent and 0 for the main agent.
    pub fn agent_depth(&self) -> u64 {
        self.depth.unwrap_or_else(|| self.agent.is_some().into())
    }

    /// The model that wrote the most replies, the earliest of them on a tie. Replies that name none count for the recorded one.
    pub fn main_model(&self) -> Option<&SmolStr> {
        let mut counts: HashMap<&SmolStr, (usize, Reverse<usize>)> = HashMap::default();
        let replies = self.messages.iter().filter(|message| message.role == Role::Assistant);
        for (at, model) in replies.filter_map(|reply| reply.model.as_ref().or(self.model.as_ref())).enumerate() {
            counts.entry(model).or_insert((0, Reverse(at))).0 += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name).or(self.model.as_ref())
    }

    /// Whether lines or members of its file are broken, for example because the file was truncated.
    pub fn has_broken_records(&self) -> bool {
        [record::BROKEN_LINE, archive::BROKEN].into_iter().any(|kind| self.skipped.contains_key(kind))
    }

    /// Fills in the start time and the model from the messages, also before some of them are removed.
    fn complete_from_messages(&mut self) {
        self.started = self.started.take().or_else(|| first_time(&self.messages));
        // A live session whose header names no model has counted tokens without one.
        if self.live.is_none() {
            self.model = self.model.take().or_else(|| first_model(&self.messages));
        }
    }
}

#[cfg(test)]
mod tests;
