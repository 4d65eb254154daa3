//! Qwen Code sessions: JSON lines whose records form a tree, each with a content as the Gemini API has it.
//!
//! The path from the last record to the root is read; of the records of other branches only the calls count. Each sub-agent recorded in the
//! same file becomes a transcript of its own. A compression resets the context with the history that replaces it.

mod builder;
mod telemetry;

use foldhash::{HashMap, HashSet};
use serde::Deserialize;
use smol_str::SmolStr;

use self::builder::Builder;
use self::telemetry::UiEvent;
use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, Flag, Raw, Str, TokenCount};
use super::{Format, ReadError, Reader, Transcript, error};

/// Session files of Qwen Code.
pub(super) static QWEN: Format = Format {
    name: "qwen",
    title: "Qwen Code sessions",
    summary: "session files under `~/.qwen/projects/*/chats`; sub-agents become transcripts of their own",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_session_record)
}

fn is_session_record(record: &ShallowValue<'_>) -> bool {
    let has_links = record.has("uuid") || record.has("sessionId");
    match record.string("type").as_deref() {
        Some("user" | "assistant" | "tool_result") => {
            has_links && record.field("message").is_some_and(|message| message.has("parts"))
        }
        Some("system") => has_links && record.has("systemPayload"),
        _ => false,
    }
}

/// A record of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow)]
    uuid: Str<'a>,
    parent_uuid: Str<'a>,
    session_id: Str<'a>,
    cwd: Str<'a>,
    timestamp: Str<'a>,
    #[serde(rename = "type")]
    kind: Str<'a>,
    subtype: Str<'a>,
    provenance: Str<'a>,
    model: Str<'a>,
    context_window_size: TokenCount,
    message: Option<Raw<'a>>,
    usage_metadata: Option<Raw<'a>>,
    #[serde(deserialize_with = "wire::lenient")]
    tool_call_result: ToolCallResult<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    system_payload: SystemPayload<'a>,
    is_sidechain: Flag,
    agent_id: Str<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolCallResult<'a> {
    #[serde(borrow)]
    status: Str<'a>,
}

/// What a record of the system contains: of a compression, of a command, or of an event of the user interface.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SystemPayload<'a> {
    #[serde(borrow, deserialize_with = "wire::lenient")]
    info: CompressionInfo<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    ui_event: UiEvent<'a>,
    compressed_history: Option<Raw<'a>>,
    raw_command: Str<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CompressionInfo<'a> {
    original_token_count: TokenCount,
    #[serde(borrow)]
    trigger_reason: Str<'a>,
}

impl Line<'_> {
    /// The sub-agent that the record belongs to.
    fn agent(&self) -> Option<SmolStr> {
        self.agent_id.non_empty().or_else(|| self.is_sidechain.0.then(|| SmolStr::new("sidechain")))
    }
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut threads: Vec<(Option<SmolStr>, Vec<Line<'_>>)> = vec![(None, Vec::new())];
    let mut places: HashMap<Option<SmolStr>, usize> = [(None, 0)].into_iter().collect();
    for raw in input.records(&mut skipped) {
        match raw.parse::<Line<'_>>() {
            Some(line) if raw.is_object() => {
                let at = *places.entry(line.agent()).or_insert_with_key(|agent| {
                    threads.push((agent.clone(), Vec::new()));
                    threads.len() - 1
                });
                threads[at].1.push(line);
            }
            Some(_) => skipped.count("non-object record"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    let is_record = |line: &Line<'_>| line.message.is_some() || line.kind.get().is_some();
    if !threads.iter().any(|(_, lines)| lines.iter().any(is_record)) {
        return Err(error::no_record("qwen", input));
    }
    threads.retain(|(agent, lines)| agent.is_none() || !lines.is_empty());
    if threads.len() > 1 && threads[0].1.is_empty() {
        threads.remove(0);
    }
    let mut transcripts: Vec<_> =
        threads.into_iter().map(|(agent, lines)| read_thread(agent, &lines, &mut skipped)).collect();
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Ok(transcripts)
}

fn read_thread(agent: Option<SmolStr>, lines: &[Line<'_>], skipped: &mut Skipped) -> Transcript {
    let active = active_branch(lines);
    let mut builder = Builder::default();
    for (index, line) in lines.iter().enumerate() {
        if active.contains(&index) {
            builder.add(line, skipped);
        } else {
            builder.add_left(line);
            skipped.count(if line.message.is_some() { "other branch" } else { line.kind.as_str() });
        }
    }
    let session = lines.iter().find_map(|line| line.session_id.non_empty()).unwrap_or_default();
    let id = agent.clone().unwrap_or(session).into();
    let directory = lines.iter().find_map(|line| line.cwd.non_empty());
    Transcript { id, agent, directory, ..builder.finish() }
}

/// The records on the path from the last one to the root; all of them if they have no links.
fn active_branch(lines: &[Line<'_>]) -> HashSet<usize> {
    let by_id: HashMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(index, line)| Some((line.uuid.get()?, index))).collect();
    let Some(last) = lines.iter().rposition(|line| line.uuid.get().is_some()) else {
        return (0..lines.len()).collect();
    };
    let mut path = HashSet::default();
    let mut next = Some(last);
    while let Some(index) = next.filter(|index| path.insert(*index)) {
        next = lines[index].parent_uuid.get().and_then(|id| by_id.get(id).copied());
    }
    path
}

#[cfg(test)]
mod tests;
