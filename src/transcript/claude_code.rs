//! Claude Code sessions: one JSON object a line, a tree of messages among much else.
//!
//! The main conversation is the active branch of each root (see `tree`); the records of other branches are counted as
//! `other branch`. Each sub-agent recorded in the same file, also in progress records, becomes a transcript of its own.
//! The lines of one API response are merged (see `turn`), and prompts that were typed while the model worked are put where
//! the model read them (see `queue`). Records of kinds that are not conversation are counted by kind.

mod line;
mod queue;
mod tree;
mod turn;

use std::collections::HashMap;

use smol_str::SmolStr;

use line::{Kind, Line};

use super::record::{self, Skipped};
use super::{Format, Peek, ReadError, Sample, Transcript, error, usual_model};

/// Sessions of Claude Code.
pub(super) static CLAUDE_CODE: Format =
    Format { name: "claude_code", summary: "a session of Claude Code: JSONL under `~/.claude/projects`", sniff, read };

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_own)
}

fn is_own(record: &Peek<'_>) -> bool {
    match record.word("type").as_deref() {
        Some("user" | "assistant") => record.has("message"),
        Some("summary") => record.has("leafUuid"),
        Some("file-history-snapshot") => record.has("messageId"),
        Some(_) => record.has("sessionId") && record.has("uuid"),
        // Usage trackers keep sessions with little but the usage.
        None => record.has("sessionId") && record.has("message"),
    }
}

fn read(text: &str) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut lines = lines(text, &mut skipped);
    if lines.is_empty() {
        return Err(error::no_record("claude_code", text));
    }
    let threads = Threads::of(&lines);
    let roots = tree::active(&lines, &threads.main);
    let kept = roots.concat();
    let said = |places: &[usize]| places.iter().filter(|place| lines[**place].is_conversation()).count();
    let (all, active) = (said(&threads.main), said(&kept));
    skipped.add("other branch", (all - active) as u64);
    let mut transcripts = vec![transcript(&mut lines, &roots, &mut skipped)];
    transcripts.extend(threads.sides.into_iter().map(|(id, side)| {
        let side = transcript(&mut lines, &[side], &mut skipped);
        Transcript { agent: Some(SmolStr::new(&id)), id, ..side }
    }));
    if active == 0 && transcripts.len() > 1 {
        transcripts.remove(0);
    }
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Ok(transcripts)
}

/// The lines that are records of a session, each once.
fn lines<'a>(text: &'a str, skipped: &mut Skipped) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for record in record::records(text, skipped) {
        match serde_json::from_str::<Line<'a>>(record) {
            Ok(line) if record.starts_with('{') => lines.push(line),
            _ => skipped.count(broken(record)),
        }
    }
    drop_repeats(&mut lines, skipped);
    if lines.iter().any(|line| line.kind() == Kind::Wrapper) {
        lines = lines.into_iter().flat_map(|line| [line.wrapped(), Some(line)].into_iter().rev().flatten()).collect();
        drop_repeats(&mut lines, skipped);
    }
    queue::place(&mut lines);
    for line in &lines {
        count(line, skipped);
    }
    lines
}

fn drop_repeats(lines: &mut Vec<Line<'_>>, skipped: &mut Skipped) {
    let repeats = repeats(lines);
    skipped.add("repeated record", repeats.iter().filter(|repeats| **repeats).count() as u64);
    let mut repeats = repeats.into_iter();
    lines.retain(|_| !repeats.next().unwrap_or_default());
}

/// What a line is counted under that is no record.
fn broken(record: &str) -> &'static str {
    let is_json = !record.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(record).is_ok();
    if is_json { "not an object" } else { record::BROKEN }
}

/// For each line, whether it repeats an earlier one.
fn repeats(lines: &[Line<'_>]) -> Vec<bool> {
    let mut first: HashMap<&str, &Line<'_>> = HashMap::with_capacity(lines.len());
    let repeats = |line: &Line<'_>, first: &Line<'_>| !std::ptr::eq(line, first) && line.says_the_same(first);
    lines
        .iter()
        .map(|line| line.uuid.get().is_some_and(|uuid| repeats(line, first.entry(uuid).or_insert(line))))
        .collect()
}

/// Counts a record that says nothing in the conversation; it may still link others.
fn count(line: &Line<'_>, skipped: &mut Skipped) {
    match (line.kind(), line.subtype.get()) {
        (Kind::Boundary | Kind::Other, Some(subtype)) => skipped.count(&format!("{}:{subtype}", line.label())),
        (Kind::Boundary | Kind::Other, None) => skipped.count(line.label()),
        (Kind::Synthetic, _) if line.is_api_error_message.0 => skipped.count("api error"),
        (Kind::Synthetic, _) => skipped.count("synthetic reply"),
        (Kind::ForReaders, _) => skipped.count("visible in transcript only"),
        (Kind::User | Kind::Assistant | Kind::Clearing | Kind::Queued | Kind::Wrapper, _) => {}
    }
}

/// The conversation of a file, by thread, as places in its lines.
struct Threads {
    /// With the compactions.
    main: Vec<usize>,
    /// By the id of the sub-agent, in the order in which they begin.
    sides: Vec<(String, Vec<usize>)>,
}

impl Threads {
    fn of(lines: &[Line<'_>]) -> Self {
        let mut threads = Self { main: Vec::new(), sides: Vec::new() };
        let mut by_id: HashMap<String, usize> = HashMap::new();
        let roots = tree::side_roots(lines);
        let said = |line: &Line<'_>| line.is_conversation() || line.is_harness_edit();
        for (place, line) in lines.iter().enumerate().filter(|(_, line)| said(line)) {
            if !line.is_sidechain.0 {
                threads.main.push(place);
                continue;
            }
            let id = line.agent_id.get().or_else(|| lines.get(roots[place])?.uuid.get()).unwrap_or_default();
            let side = *by_id.entry(id.to_owned()).or_insert_with(|| {
                threads.sides.push((id.to_owned(), Vec::new()));
                threads.sides.len() - 1
            });
            threads.sides[side].1.push(place);
        }
        threads
    }
}

/// The conversation of the records at these places; with each root but the first, the context begins anew.
fn transcript(lines: &mut [Line<'_>], roots: &[Vec<usize>], skipped: &mut Skipped) -> Transcript {
    let mut turns = turn::Turns::default();
    for places in roots {
        turns.begin_root();
        for place in places {
            if !turns.add(&mut lines[*place]) {
                skipped.count("record without content");
            }
        }
    }
    let places = roots.concat();
    let messages = turns.finish();
    let of_lines =
        |field: fn(&Line<'_>) -> Option<SmolStr>| places.iter().rev().find_map(|place| field(&lines[*place]));
    let id = of_lines(|line| line.session_id.name()).or_else(|| lines.iter().find_map(|line| line.session_id.name()));
    Transcript {
        id: id.map(String::from).unwrap_or_default(),
        model: usual_model(&messages),
        started: places.iter().find_map(|place| lines[*place].timestamp.name()),
        messages,
        ..Transcript::default()
    }
}

#[cfg(test)]
mod tests;
