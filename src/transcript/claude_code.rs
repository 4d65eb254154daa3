//! Claude Code sessions: JSON lines whose records form a tree of messages, metadata and snapshots.
//!
//! The main conversation is the active branch of each root (see `tree`); records of other branches are skipped as
//! `other branch`. Each sub-agent recorded in the same file, also in progress records, becomes a transcript of its own.
//! The lines of one API response are merged (see `message`), and prompts typed while the model worked are moved to
//! where the model received them (see `queue`). All other records are skipped and counted by kind.

mod line;
mod message;
mod queue;
mod tree;

use foldhash::{HashMap, HashMapExt};
use smol_str::SmolStr;

use line::{Line, LineKind};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::Raw;
use super::{Format, ReadError, Transcript, error, most_frequent_model};

/// Session files of Claude Code.
pub(super) static CLAUDE_CODE: Format = Format {
    name: "claude_code",
    title: "Claude Code sessions",
    summary: "session files under `~/.claude/projects`; sub-agents become transcripts of their own",
    sniff,
    read,
    line: None,
    is_log: None,
    marks_errors: true,
};

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_session_record)
}

fn is_session_record(record: &ShallowValue<'_>) -> bool {
    match record.string("type").as_deref() {
        Some("user" | "assistant") => record.has("message"),
        Some("summary") => record.has("leafUuid"),
        Some("file-history-snapshot") => record.has("messageId"),
        Some(_) => record.has("sessionId") && record.has("uuid"),
        // Usage trackers keep only a few fields of each record.
        None => record.has("sessionId") && record.has("message"),
    }
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let records = input.records(&mut skipped);
    read_records(records, skipped, |_| {}).ok_or_else(|| error::no_record("claude_code", input))
}

/// Reads the records of a session, each of which `adapt` may change first. Returns `None` when there are none.
pub(super) fn read_records(
    records: Vec<Raw<'_>>,
    mut skipped: Skipped,
    adapt: fn(&mut Line<'_>),
) -> Option<Vec<Transcript>> {
    let mut lines = parse_lines(records, &mut skipped, adapt);
    if lines.is_empty() {
        return None;
    }
    let threads = Threads::of(&lines);
    let roots = tree::active_branches(&lines, &threads.main);
    let count_conversation =
        |indexes: &[usize]| indexes.iter().filter(|index| lines[**index].is_conversation()).count();
    let (all, active) = (count_conversation(&threads.main), count_conversation(&roots.concat()));
    skipped.add("other branch", (all - active) as u64);
    let mut transcripts = vec![build_transcript(&mut lines, &roots, &mut skipped)];
    transcripts.extend(threads.sub_agents.into_iter().map(|(id, indexes)| {
        let transcript = build_transcript(&mut lines, &[indexes], &mut skipped);
        Transcript { agent: Some(SmolStr::new(&id)), id, ..transcript }
    }));
    if active == 0 && transcripts.len() > 1 {
        transcripts.remove(0);
    }
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Some(transcripts)
}

/// Takes the fields that a record in the output of `claude -p` has under other names.
pub(super) fn adapt_stream(line: &mut Line<'_>) {
    line.adapt_stream();
}

/// Parses the records of a session, without repeated ones.
fn parse_lines<'a>(records: Vec<Raw<'a>>, skipped: &mut Skipped, adapt: fn(&mut Line<'_>)) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for record in records {
        match record.parse::<Line<'a>>() {
            Some(mut line) if record.is_object() => {
                adapt(&mut line);
                lines.push(line);
            }
            _ if record.is_object() => skipped.count(record::BROKEN_LINE),
            _ => skipped.count("non-object record"),
        }
    }
    drop_repeats(&mut lines, skipped);
    if lines.iter().any(|line| line.kind() == LineKind::AgentProgress) {
        lines = lines.into_iter().flat_map(|line| [line.wrapped(), Some(line)].into_iter().rev().flatten()).collect();
        drop_repeats(&mut lines, skipped);
    }
    queue::place_queued_prompts(&mut lines);
    for line in &lines {
        count_skipped(line, skipped);
    }
    lines
}

fn drop_repeats(lines: &mut Vec<Line<'_>>, skipped: &mut Skipped) {
    let repeats = find_repeats(lines);
    skipped.add("repeated record", repeats.iter().filter(|is_repeat| **is_repeat).count() as u64);
    let mut repeats = repeats.into_iter();
    lines.retain(|_| !repeats.next().unwrap_or_default());
}

/// Returns for each line whether it repeats an earlier one.
fn find_repeats(lines: &[Line<'_>]) -> Vec<bool> {
    let mut by_uuid: HashMap<&str, &Line<'_>> = HashMap::with_capacity(lines.len());
    let repeats = |line: &Line<'_>, first: &Line<'_>| !std::ptr::eq(line, first) && line.has_same_message(first);
    lines
        .iter()
        .map(|line| line.uuid.get().is_some_and(|uuid| repeats(line, by_uuid.entry(uuid).or_insert(line))))
        .collect()
}

/// Counts a record that adds no message. It may still link other records.
fn count_skipped(line: &Line<'_>, skipped: &mut Skipped) {
    match (line.kind(), line.subtype.get()) {
        (LineKind::Compaction | LineKind::Other, Some(subtype)) => {
            skipped.count(&format!("{}:{subtype}", line.type_name()));
        }
        (LineKind::Compaction | LineKind::Other, None) => skipped.count(line.type_name()),
        (LineKind::Synthetic, _) if line.is_api_error_message.0 => skipped.count("API error"),
        (LineKind::Synthetic, _) => skipped.count("synthetic reply"),
        (LineKind::TranscriptOnly, _) => skipped.count("transcript-only message"),
        (
            LineKind::User
            | LineKind::Assistant
            | LineKind::Clearing
            | LineKind::QueuedPrompt
            | LineKind::AgentProgress,
            _,
        ) => {}
    }
}

/// The lines of each conversation in a file, as indexes.
struct Threads {
    /// The main conversation, with its compactions and clearings.
    main: Vec<usize>,
    /// The conversations of sub-agents, by id, in the order in which they begin.
    sub_agents: Vec<(String, Vec<usize>)>,
}

impl Threads {
    fn of(lines: &[Line<'_>]) -> Self {
        let mut threads = Self { main: Vec::new(), sub_agents: Vec::new() };
        let mut by_id: HashMap<String, usize> = HashMap::new();
        let roots = tree::sub_agent_roots(lines);
        let is_relevant = |line: &Line<'_>| line.is_conversation() || line.is_harness_edit();
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_relevant(line)) {
            if !line.is_sidechain.0 {
                threads.main.push(index);
                continue;
            }
            let id = line.agent_id.get().or_else(|| lines.get(roots[index])?.uuid.get()).unwrap_or_default();
            let agent = *by_id.entry(id.to_owned()).or_insert_with(|| {
                threads.sub_agents.push((id.to_owned(), Vec::new()));
                threads.sub_agents.len() - 1
            });
            threads.sub_agents[agent].1.push(index);
        }
        threads
    }
}

/// Builds the transcript of these lines. Every root but the first resets the context.
fn build_transcript(lines: &mut [Line<'_>], roots: &[Vec<usize>], skipped: &mut Skipped) -> Transcript {
    let mut builder = message::MessageBuilder::default();
    for indexes in roots {
        builder.begin_root();
        for index in indexes {
            if !builder.add(&mut lines[*index]) {
                skipped.count("record without content");
            }
        }
    }
    let indexes = roots.concat();
    let (messages, harness_calls) = builder.finish();
    let last_id = indexes.iter().rev().find_map(|index| lines[*index].session_id.non_empty());
    let id = last_id.or_else(|| lines.iter().find_map(|line| line.session_id.non_empty()));
    Transcript {
        id: id.map(String::from).unwrap_or_default(),
        model: most_frequent_model(&messages),
        started: indexes.iter().find_map(|index| lines[*index].timestamp.non_empty()),
        messages,
        harness_calls,
        ..Transcript::default()
    }
}

#[cfg(test)]
mod tests;
