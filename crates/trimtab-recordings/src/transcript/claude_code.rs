//! Claude Code sessions: JSON lines whose records form a tree of messages, metadata and snapshots.
//!
//! The main conversation is the active branch of each root (see `tree`); records of other branches are skipped as
//! `other branch`, but the calls of their replies are kept. Each sub-agent recorded in the same file, also in progress records, becomes a transcript of its own.
//! The lines of one API response are merged (see `message`), and prompts typed while the model worked are moved to
//! where the model received them (see `queue`). All other records are skipped and counted by kind.

mod attachment;
mod exact;
mod internal;
mod kept;
mod line;
mod message;
mod prompt;
mod queue;
mod request;
mod tree;

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet};
use smol_str::SmolStr;
use trimtab_base::conversation::Message;

use super::internal_agent::is_internal_agent;
use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::Raw;
use super::{Format, HarnessCall, ReadError, Reader, Tool, Transcript, error};
use line::{Line, LineKind};
use message::BuiltMessages;
use prompt::Prompt;
use request::Requests;

/// Session files of Claude Code.
pub(super) static CLAUDE_CODE: Format = Format {
    name: "claude_code",
    title: "Claude Code sessions",
    summary: "session files under `~/.claude/projects`; sub-agents become transcripts of their own",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
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
    let shared = Shared::of(&lines);
    let left = left_replies(&lines, &threads.main, &roots);
    let (main, mut is_exact) = build_transcript(&mut lines, (&roots, &left), &shared, &mut skipped);
    let mut transcripts = vec![main];
    transcripts.extend(threads.sub_agents.into_iter().map(|(id, indexes)| {
        let (transcript, uses_requests) = build_transcript(&mut lines, (&[indexes], &[]), &shared, &mut skipped);
        is_exact |= uses_requests;
        Transcript { agent: Some(SmolStr::new(&id)), id, ..transcript }
    }));
    if !is_exact {
        skipped.add("exact request", shared.requests.len() as u64);
    }
    join_internal_agents(&mut transcripts);
    if active == 0 && transcripts.len() > 1 {
        transcripts.remove(0);
    }
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Some(transcripts)
}

/// Makes calls of the harness of the agents that it has started for itself. They belong to the session, if it is in the file.
fn join_internal_agents(transcripts: &mut Vec<Transcript>) {
    let is_internal = |one: &mut Transcript| one.agent.as_deref().is_some_and(is_internal_agent);
    let internal: Vec<Transcript> = transcripts.extract_if(.., is_internal).map(internal::as_call).collect();
    match transcripts.first_mut().filter(|main| !main.messages.is_empty()) {
        Some(main) => internal.into_iter().for_each(|one| main.add_harness_calls(one)),
        None => transcripts.extend(internal),
    }
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
                if line.type_name().starts_with("api-request") {
                    line.request = record.object().map(Box::new);
                }
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
        // These are read where there is no message of theirs.
        (LineKind::Other, _)
            if line.request.is_some() || line.has_attachment(|one| one.prompt_snapshot().is_some()) => {}
        (LineKind::Other, _) if line.type_name() == "attachment" => {
            let kind = line.attachment.as_ref().map_or("", |attachment| attachment.kind());
            skipped.count(&format!("attachment:{kind}"));
        }
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
            | LineKind::Attachment
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
        let is_relevant =
            |line: &Line<'_>| line.is_conversation() || line.is_harness_edit() || line.kind() == LineKind::Attachment;
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

/// What the conversations of a file have in common.
struct Shared<'a> {
    requests: Requests<'a>,
    /// The first id of the session.
    session_id: Option<SmolStr>,
    /// Whether the file has the conversations of sub-agents only.
    is_of_sub_agents: bool,
    /// The system prompt and the tools in snapshots of the main conversation, and of sub-agents.
    snapshots: [Prompt; 2],
    /// Whether the context of each line begins in another file.
    begin_in_another_file: Vec<bool>,
}

impl<'a> Shared<'a> {
    fn of(lines: &[Line<'a>]) -> Self {
        Self {
            requests: Requests::of(lines),
            session_id: lines.iter().find_map(|line| line.session_id.non_empty()),
            is_of_sub_agents: lines.iter().all(|line| !line.is_conversation() || line.is_sidechain.0),
            snapshots: [false, true].map(|of_sub_agents| Prompt::of_snapshots(lines, of_sub_agents)),
            begin_in_another_file: tree::begin_in_another_file(lines),
        }
    }
}

/// The lines of replies on branches that the person has left. A reply of which there is a line on an active branch is none of
/// them.
fn left_replies(lines: &[Line<'_>], main: &[usize], roots: &[Vec<usize>]) -> Vec<usize> {
    let active: HashSet<usize> = roots.iter().flatten().copied().collect();
    let responses: HashSet<&str> = active.iter().filter_map(|index| lines[*index].message.id.get()).collect();
    let is_left = |index: &usize| {
        let line = &lines[*index];
        let is_shared = line.message.id.get().is_some_and(|id| responses.contains(id));
        line.kind() == LineKind::Assistant && !active.contains(index) && !is_shared
    };
    main.iter().copied().filter(is_left).collect()
}

/// Builds the transcript of the lines of some roots, with the calls of the replies on other branches, and tells whether its
/// messages are those of exact requests. Every root but the first resets the context.
fn build_transcript<'a>(
    lines: &mut [Line<'a>],
    (roots, left): (&[Vec<usize>], &[usize]),
    shared: &Shared<'a>,
    skipped: &mut Skipped,
) -> (Transcript, bool) {
    let indexes = roots.concat();
    let kept = kept::of_compactions(lines, &indexes);
    let records: HashSet<&str> = kept.values().flat_map(|kept| &kept.uuids).map(String::as_str).collect();
    let mut builder = message::MessageBuilder::default();
    let mut left = left.iter().peekable();
    for indexes in roots {
        builder.begin_root();
        for index in indexes {
            while let Some(left) = left.next_if(|left| *left < index) {
                builder.add_left_reply(&lines[*left]);
            }
            let line = &mut lines[*index];
            builder.begin_line(*index);
            let is_kept = line.uuid.get().is_some_and(|uuid| records.contains(uuid));
            let has_content = if is_kept { builder.add_recorded(line) } else { builder.add(line) };
            if !has_content {
                skipped.count("record without content");
            }
            let unknown = kept.get(index).map_or(0, |kept| builder.keep(kept));
            skipped.add("kept message of another file", unknown as u64);
        }
    }
    left.for_each(|left| builder.add_left_reply(&lines[*left]));
    let Completed { messages, harness_calls, tools, is_exact } = complete(lines, &indexes, builder.finish(), shared);
    let last_id = indexes.iter().rev().find_map(|index| lines[*index].session_id.non_empty());
    let id = last_id.or_else(|| shared.session_id.clone());
    let first = indexes.iter().find(|index| lines[**index].kind() != LineKind::Attachment);
    let transcript = Transcript {
        id: id.map(String::from).unwrap_or_default(),
        started: indexes.iter().find_map(|index| lines[*index].timestamp.non_empty()),
        directory: indexes.iter().find_map(|index| lines[*index].cwd.non_empty()),
        messages,
        harness_calls,
        tools,
        missing_history: !is_exact && first.is_some_and(|index| shared.begin_in_another_file[*index]),
        ..Transcript::default()
    };
    (transcript, is_exact)
}

/// The content of a transcript, completed with what requests and snapshots record.
struct Completed {
    messages: Vec<Arc<Message>>,
    harness_calls: Vec<HarnessCall>,
    tools: Vec<Tool>,
    /// Whether the messages are those of exact requests.
    is_exact: bool,
}

/// The messages of a conversation as they were sent, if that is recorded, with the system prompt, the calls of the harness among
/// them, and the tools.
fn complete(lines: &[Line<'_>], indexes: &[usize], built: BuiltMessages, shared: &Shared<'_>) -> Completed {
    let requests = &shared.requests;
    let BuiltMessages { mut messages, mut harness_calls, replies } = built;
    let exact = (requests.len() > 0).then(|| exact::messages(requests, &messages, &replies)).flatten();
    let is_side = indexes.first().is_some_and(|index| lines[*index].is_sidechain.0);
    let is_exact = exact.is_some();
    // The requests of a sub-agent are in its own file.
    let is_own = is_exact || !is_side || shared.is_of_sub_agents;
    if let Some((sent, positions)) = exact {
        for call in &mut harness_calls {
            let before = replies.partition_point(|reply| reply.message < call.messages);
            call.messages = positions.get(before).copied().unwrap_or(sent.len());
        }
        messages = sent;
    }
    let snapshots = || shared.snapshots[usize::from(is_side)].clone();
    let shape = requests.shape.filter(|_| !replies.is_empty() && is_own);
    let prompt = shape.map_or_else(snapshots, Prompt::of_shape);
    if let Some(system) = prompt.system.filter(|_| !messages.is_empty()) {
        messages.insert(0, Arc::new(system));
        for call in &mut harness_calls {
            call.messages += 1;
        }
    }
    Completed { messages, harness_calls, tools: prompt.tools, is_exact }
}

#[cfg(test)]
mod tests;
