//! Logs of Inspect: JSON files, and `.eval` archives with a member per sample.
//!
//! Each sample is a transcript. Its messages are those of the sample; their usage, times and tools come from its events.
//! Model calls whose reply is not among the messages are those of sub-agents, which become transcripts of their own, or
//! of scorers, which are skipped.

mod event;
mod message;

use serde::Deserialize;
use smol_str::{SmolStr, format_smolstr};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Count, Fields, List, Raw, Str};
use super::{Format, ReadError, Transcript, archive, error};
use event::Events;
use message::Attachments;

/// Logs of Inspect.
pub(super) static INSPECT: Format = Format {
    name: "inspect",
    title: "Inspect",
    summary: "logs of Inspect, `.eval` archives or JSON; each sample is a transcript, and so is each sub-agent",
    sniff,
    read,
    line: None,
    marks_errors: true,
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
    let mut skipped = Skipped::default();
    let (log, samples) = find_samples(input, &mut skipped).ok_or_else(|| error::no_record("inspect", input))?;
    let mut transcripts = Vec::new();
    for raw in samples {
        match raw.object::<WireSample<'_>>() {
            Some(sample) => transcripts.extend(read_sample(&sample, &mut skipped)),
            None => skipped.count("non-object sample"),
        }
    }
    if transcripts.is_empty() {
        transcripts.push(Transcript::default());
    }
    for transcript in &mut transcripts {
        let started = log.eval.created.non_empty();
        transcript.started = transcript.started.take().or(started);
        transcript.model = transcript.model.take().or_else(|| log.eval.model.non_empty());
    }
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Ok(transcripts)
}

/// A member of an archive.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Member<'a> {
    #[serde(borrow, rename = "zip_member")]
    name: Str<'a>,
    content: Option<Raw<'a>>,
    problem: Str<'a>,
}

/// Finds the samples of a log. Returns `None` if the text is not a log.
fn find_samples<'a>(input: &'a Input<'_>, skipped: &mut Skipped) -> Option<(Log<'a>, Vec<Raw<'a>>)> {
    if let Some(mut log) = input.document().filter(is_log).and_then(Raw::parse::<Log<'a>>) {
        let samples = log.samples.0.take().unwrap_or_default();
        return Some((log, samples));
    }
    let (mut log, mut samples, mut has_members) = (Log::default(), Vec::new(), false);
    for line in input.deep_records(skipped) {
        let Some(member) = line.object::<Member<'a>>() else {
            skipped.count(record::BROKEN_LINE);
            continue;
        };
        let name = member.name.as_str();
        has_members |= !name.is_empty();
        if let Some(problem) = member.problem.get() {
            skipped.count(problem);
        } else if name.starts_with("samples/") {
            samples.extend(member.content);
        } else if name == "header.json" || name == "_journal/start.json" && log.eval.model.get().is_none() {
            log = member.content.and_then(Raw::object).unwrap_or_default();
        }
    }
    has_members.then_some((log, samples))
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
        events.add(*raw, pool, &attachments, skipped);
    }
    events.complete(&mut messages, wire.output);
    let messages: Vec<_> = messages.into_iter().map(|message| message.message.into()).collect();
    let main = Transcript {
        id: id.to_string(),
        model: super::most_frequent_model(&messages),
        tools: std::mem::take(&mut events.tools),
        started: messages.iter().find_map(|message| message.at.clone()),
        harness_calls: events.outside_calls(messages.len()),
        messages,
        ..Transcript::default()
    };
    let sub_agents = events.into_sub_agents(&attachments, skipped).into_iter().map(|transcript| {
        let agent = transcript.agent.clone().unwrap_or_else(|| SmolStr::new_static("agent"));
        Transcript { id: format!("{id}/{agent}"), agent: Some(agent), ..transcript }
    });
    std::iter::once(main).chain(sub_agents).collect()
}

#[cfg(test)]
mod tests;
