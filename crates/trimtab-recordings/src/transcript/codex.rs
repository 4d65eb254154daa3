//! Codex CLI sessions: JSON lines with the items that the model sees, and events around them.
//!
//! Messages are read from `response_item` records (see `item`); events repeat them for the user interface. Of the
//! events, only the usage, the context window and failed tool calls are read. Newer versions record the usage of each
//! response besides. Sessions of early versions have items without an envelope.

mod builder;
mod output;
mod record;

use self::builder::Builder;
use self::record::{EventKind, Record};
use super::item::Item;
use super::record::{self as lines, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::{Format, ReadError, Reader, Transcript, error};

/// Session files of Codex CLI.
pub(super) static CODEX: Format = Format {
    name: "codex",
    title: "Codex CLI sessions",
    summary: "session files (rollouts) under `~/.codex/sessions`",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

const ENVELOPES: [&str; 6] =
    ["session_meta", "response_item", "event_msg", "turn_context", "token_usage_record", "compacted"];

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(is_session_record)
}

fn is_session_record(record: &ShallowValue<'_>) -> bool {
    let has_all = |keys: &[&str]| keys.iter().all(|key| record.has(key));
    match record.string("type").as_deref() {
        Some(kind) => ENVELOPES.contains(&kind) && record.has("payload"),
        None if record.has("messages") || record.has("input") => false,
        None => {
            record.string("record_type").as_deref() == Some("state")
                || has_all(&["id", "timestamp", "instructions"])
                || has_all(&["session", "items"])
        }
    }
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut records = Vec::new();
    for line in input.records(&mut skipped) {
        match line.parse() {
            Some(raw) => records.extend(Record::of(raw)),
            None => skipped.count(lines::BROKEN_LINE),
        }
    }
    if records.iter().all(|record| matches!(record, Record::Other(_))) {
        return Err(error::no_record("codex", input));
    }
    let mut builder = Builder::new(&records, skipped);
    for (at, record) in records.iter().enumerate() {
        match record {
            Record::Meta(meta) => builder.add_meta(meta),
            Record::Item { raw, at } => builder.add_item(*raw, at.clone()),
            Record::Turn(turn) => builder.begin_turn(turn.clone()),
            Record::Event(event) => builder.add_event(event),
            Record::Usage(usage) => builder.add_usage_record(usage),
            Record::Compacted(compacted) => builder.compact(compacted, is_automatic(&records, at)),
            Record::Other(kind) => builder.skip(kind),
        }
    }
    Ok(vec![builder.finish()])
}

/// Returns whether Codex compacted by itself, that is, in a turn in which the model also worked. A turn without replies
/// is one in which a person asked for the compaction.
fn is_automatic(records: &[Record<'_>], at: usize) -> bool {
    let is_boundary =
        |record: &Record<'_>| matches!(record, Record::Event(event) if event.kind() == EventKind::Boundary);
    let is_reply = |record: &Record<'_>| match record {
        Record::Item { raw, .. } => Item::of(*raw).is_some_and(|item| item.kind().is_of_reply()),
        _ => false,
    };
    let (_, after) = records.split_at(at);
    let before = &records[..summary_start(records, at).unwrap_or(at)];
    before.iter().rev().take_while(|record| !is_boundary(record)).any(is_reply)
        || after.iter().take_while(|record| !is_boundary(record)).any(is_reply)
}

/// Where the reply begins that is the summary of a compaction. It is a response like those of the agent.
fn summary_start(records: &[Record<'_>], at: usize) -> Option<usize> {
    let Record::Compacted(compacted) = records.get(at)? else { return None };
    let response = compacted.response()?;
    let is_usage =
        |record: &Record<'_>| matches!(record, Record::Usage(usage) if usage.response().as_ref() == Some(&response));
    let usage = records[..at].iter().rposition(is_usage)?;
    let is_before = |record: &Record<'_>| match record {
        Record::Item { raw, .. } => !Item::of(*raw).is_some_and(|item| item.kind().is_of_reply()),
        Record::Event(event) => event.kind() != EventKind::Other,
        _ => true,
    };
    Some(records[..usage].iter().rposition(is_before).map_or(0, |last| last + 1))
}

#[cfg(test)]
mod tests;
