//! Logs of Inspect: JSON files, and `.eval` archives with a member per sample.
//!
//! Each sample is a transcript. Its messages are those of the sample; their usage, times and tools come from its events.
//! Model calls whose reply is not among the messages are those of sub-agents, which become transcripts of their own, or
//! of scorers, which are skipped.

mod event;
mod message;

use serde::Deserialize;
use smol_str::{SmolStr, format_smolstr};

use super::archive::{self, Archive};
use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Count, Fields, List, Raw, Str};
use super::{Format, Quirk, ReadError, Reader, Transcript, decode, error, first_model, first_time, limit};
use event::Events;
use message::Attachments;

/// Logs of Inspect.
pub(super) static INSPECT: Format = Format {
    name: "inspect",
    title: "Inspect",
    summary: "logs of Inspect, `.eval` archives or JSON; each sample is a transcript, and so is each sub-agent",
    sniff,
    reader: Reader::FileOrArchive(read, read_archive),
    line: None,
    quirks: &[Quirk::Selective],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_log_record)
}

fn is_log_record(record: &ShallowValue<'_>) -> bool {
    let is_member = |name: &str| {
        ["header.json", "_journal/start.json"].contains(&name)
            || name.starts_with("samples/") && name.contains("_epoch_")
    };
    let is_log = record.has("eval") && ["plan", "samples", "status"].iter().any(|key| record.has(key));
    is_log || record.string(archive::MEMBER).is_some_and(|name| is_member(&name))
}

/// A log in JSON, or the header of an archive.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Log<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    eval: Eval<'a>,
    samples: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Eval<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    created: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireSample<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    epoch: Count,
    input: Option<Raw<'a>>,
    messages: List<'a>,
    output: Option<Raw<'a>>,
    events: List<'a>,
    /// Messages that model events refer to by their positions.
    message_pool: List<'a>,
    attachments: Option<Raw<'a>>,
    /// The events of old logs, and their attachments.
    #[serde(deserialize_with = "wire::lenient")]
    transcript: OldEvents<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct OldEvents<'a> {
    #[serde(borrow)]
    events: List<'a>,
    content: Option<Raw<'a>>,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let log = input.document().filter(is_log).and_then(Raw::parse::<Log<'_>>);
    let log = log.ok_or_else(|| error::no_record("inspect", input))?;
    let mut read = LogReader::default();
    for raw in log.samples.0.iter().flatten() {
        read.add_sample(*raw);
    }
    read.set_header(&log);
    Ok(read.finish())
}

/// Reads an archive with a member per sample. Returns its transcripts, and how many invalid byte sequences were replaced.
fn read_archive(mut archive: Archive<'_>) -> Result<(Vec<Transcript>, u64), ReadError> {
    let (mut read, mut items) = (LogReader::default(), 0);
    for member in std::mem::take(&mut archive.members) {
        if member.name.ends_with('/') {
            continue;
        }
        match archive.unpack(&member) {
            Ok(content) => read.add_member(&member.name, &content),
            Err(problem) => read.skipped.count(problem),
        }
        items += items_of(read.transcripts.get(read.counted..).unwrap_or_default());
        read.counted = read.transcripts.len();
        if items > limit::MAX_ITEMS {
            return Err(error::too_many_messages());
        }
    }
    let replaced = read.replaced;
    Ok((read.finish(), replaced))
}

/// The messages and parts of transcripts.
fn items_of(transcripts: &[Transcript]) -> usize {
    let messages = transcripts.iter().flat_map(|transcript| &transcript.messages);
    messages.map(|message| 1 + message.parts.len()).sum()
}

/// What has been read of a log.
#[derive(Default)]
struct LogReader {
    transcripts: Vec<Transcript>,
    /// How many transcripts have been counted.
    counted: usize,
    model: Option<SmolStr>,
    created: Option<SmolStr>,
    skipped: Skipped,
    replaced: u64,
}

impl LogReader {
    /// Adds a member of an archive.
    fn add_member(&mut self, name: &str, content: &[u8]) {
        let (is_sample, is_start) = (name.starts_with("samples/"), name == "_journal/start.json");
        if !is_sample && name != "header.json" && !(is_start && self.model.is_none()) {
            return;
        }
        let decoded = decode::decode(content);
        let input = Input::of(&decoded.text);
        let (repaired, lone) = input.repaired().unzip();
        let input = repaired.as_deref().map_or(input, Input::of);
        self.replaced += decoded.replaced + lone.unwrap_or(0);
        match (input.document(), is_sample) {
            _ if input.excess().is_some() => self.skipped.count("archive member with too many JSON values"),
            (Some(raw), true) => self.add_sample(raw),
            (Some(raw), false) => self.set_header(&raw.object().unwrap_or_default()),
            (None, _) => self.skipped.count(record::BROKEN_LINE),
        }
    }

    fn add_sample(&mut self, raw: Raw<'_>) {
        match raw.object::<WireSample<'_>>() {
            Some(sample) => self.transcripts.extend(read_sample(&sample, &mut self.skipped)),
            None => self.skipped.count("non-object sample"),
        }
    }

    fn set_header(&mut self, log: &Log<'_>) {
        self.model = log.eval.model.non_empty();
        self.created = log.eval.created.non_empty();
    }

    /// The transcripts: at least one.
    fn finish(mut self) -> Vec<Transcript> {
        if self.transcripts.is_empty() {
            self.transcripts.push(Transcript::default());
        }
        for transcript in &mut self.transcripts {
            transcript.started = first_time(&transcript.messages).or_else(|| self.created.clone());
            transcript.model = first_model(&transcript.messages).or_else(|| self.model.clone());
        }
        if let Some(first) = self.transcripts.first_mut() {
            first.skipped = self.skipped.0;
        }
        self.transcripts
    }
}

fn is_log(document: &Raw<'_>) -> bool {
    document.object::<Fields<'_>>().is_some_and(|fields| fields.get("eval").is_some())
}

fn read_sample(wire: &WireSample<'_>, skipped: &mut Skipped) -> Vec<Transcript> {
    let attachments = Attachments::of(wire.attachments.or(wire.transcript.content));
    let read = |raw: &Raw<'_>, skipped: &mut Skipped| message::parse(*raw, &attachments, skipped);
    let mut messages: Vec<_> = wire.messages.0.iter().flatten().filter_map(|raw| read(raw, skipped)).collect();
    if messages.is_empty() {
        messages = message::parse_input(wire.input, &attachments, skipped);
    }
    message::mark_harness(&mut messages);
    let id = format_smolstr!("{}_epoch_{}", wire.id.as_str(), wire.epoch.0.unwrap_or(1));
    let mut events = Events::default();
    let pool = wire.message_pool.0.as_deref().unwrap_or_default();
    for raw in wire.events.0.iter().chain(&wire.transcript.events.0).flatten() {
        events.add(*raw, &attachments, skipped);
    }
    skipped.add("reference to an attachment beyond the limit", attachments.refused());
    events.complete(&mut messages, wire.output);
    let messages: Vec<_> = messages.into_iter().map(|message| message.message.into()).collect();
    let main = Transcript {
        id: id.to_string(),
        tools: std::mem::take(&mut events.tools),
        harness_calls: events.outside_calls(messages.len()),
        messages,
        ..Transcript::default()
    };
    let sub_agents = events.into_sub_agents(pool, &attachments, skipped).into_iter().map(|transcript| {
        let agent = transcript.agent.clone().unwrap_or_else(|| SmolStr::new_static("agent"));
        Transcript { id: format!("{id}/{agent}"), agent: Some(agent), ..transcript }
    });
    std::iter::once(main).chain(sub_agents).collect()
}

#[cfg(test)]
mod tests;
