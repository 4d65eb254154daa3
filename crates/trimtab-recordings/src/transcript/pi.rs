//! Sessions of pi: JSON lines, a header and entries.
//!
//! Since version 2 the entries form a tree by `id` and `parentId`. The path from the last entry to the root is read;
//! of the entries of other branches only the calls count. A file without these links is read in file order. A compaction becomes a
//! message with its summary, with which the context begins anew; copies of the messages that pi kept follow it.

pub(super) mod entry;

use foldhash::{HashMap, HashSet, HashSetExt};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::{Format, ReadError, Reader, Transcript, error, first_model};
use entry::{Entry, EntryKind};

/// Session files of pi.
pub(super) static PI: Format = Format {
    name: "pi",
    title: "pi sessions",
    summary: "session files under `~/.pi/agent/sessions`, of the branch of the last entry",
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
        Some("session") => record.has("cwd") && record.has("timestamp"),
        Some("message") => record.has("timestamp") && record.has("message") && record.has("parentId"),
        _ => false,
    }
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for record in input.records(&mut skipped) {
        match record.parse() {
            Some(entry) if record.is_object() => entries.push(entry),
            Some(_) => skipped.count("non-object record"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    // Each header begins a session, for files that are joined.
    let starts: Vec<usize> = (0..entries.len()).filter(|at| entries[*at].kind() == EntryKind::Header).collect();
    let mut bounds: Vec<usize> = if starts.is_empty() { vec![0] } else { starts };
    if entries.is_empty() {
        return Err(error::no_record("pi", input));
    }
    bounds[0] = 0;
    bounds.push(entries.len());
    let mut transcripts: Vec<_> =
        bounds.windows(2).map(|pair| read_session(&mut entries[pair[0]..pair[1]], &mut skipped)).collect();
    if let Some(first) = transcripts.first_mut() {
        first.skipped = skipped.0;
    }
    Ok(transcripts)
}

fn read_session(entries: &mut [Entry<'_>], skipped: &mut Skipped) -> Transcript {
    let active = active_branch(entries);
    let mut builder = entry::MessageBuilder::default();
    let mut header = None;
    for (index, entry) in entries.iter_mut().enumerate() {
        match entry.kind() {
            EntryKind::Header => {
                header = Some(index);
                builder.set_effort(entry);
            }
            _ if active.contains(&index) => builder.add(index, entry, skipped),
            _ => {
                builder.add_left(entry);
                skipped.count("other branch");
            }
        }
    }
    let entry::Built { messages, harness_calls, tools } = builder.finish(skipped);
    let messages: Vec<_> = messages.into_iter().map(Into::into).collect();
    let header = header.and_then(|index| entries.get(index));
    let started = || entries.iter().find_map(|entry| entry.timestamp.non_empty());
    Transcript {
        id: header.and_then(|header| header.id.get()).unwrap_or_default().to_owned(),
        model: first_model(&messages).or_else(|| header?.model_id.non_empty()),
        started: header.and_then(|header| header.timestamp.non_empty()).or_else(started),
        directory: header.and_then(|header| header.cwd.non_empty()),
        messages,
        harness_calls,
        tools,
        ..Transcript::default()
    }
}

/// The entries on the path from the last entry to the root; all of them if they have no links.
fn active_branch(entries: &[Entry<'_>]) -> HashSet<usize> {
    let by_id: HashMap<&str, usize> =
        entries.iter().enumerate().filter_map(|(index, entry)| Some((entry.id.get()?, index))).collect();
    let last = entries.iter().rposition(|entry| entry.id.get().is_some() && entry.kind() != EntryKind::Header);
    let Some(last) = last else { return (0..entries.len()).collect() };
    let mut path = HashSet::new();
    let mut next = Some(last);
    while let Some(index) = next.filter(|index| path.insert(*index)) {
        next = entries[index].parent_id.get().and_then(|id| by_id.get(id).copied());
    }
    path
}

#[cfg(test)]
mod tests;
