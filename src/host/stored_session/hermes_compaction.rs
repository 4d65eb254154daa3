//! Compactions in the database of Hermes Agent.
//!
//! A compaction keeps the rows of the context as `compacted` and writes the new context as new rows: copies of what stays, with
//! older results cut to a line, and a summary. Nothing marks these rows, but copies have the ids of their calls or the same
//! text, and all rows are written at one time.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

use super::database::{Row, text};

/// The key of a row with what a compaction did to it, which the reader of chat messages knows.
const KEY: &str = "stored_context";

/// How summaries begin, also those that have been written into a message that stays.
const SUMMARIES: [&str; 2] = ["[CONTEXT COMPACTION", "[PRIOR CONTEXT"];

/// The seconds between rows that are written at one time.
const AT_ONCE: f64 = 0.001;

/// Whether a row has been replaced by a compaction. Other rows that are not in the context have been taken back.
pub(super) fn is_compacted(row: &Row) -> bool {
    row.get("compacted").and_then(Json::as_i64).is_some_and(|flag| flag != 0)
}

/// Marks the rows that compactions have written among those of a session.
pub(super) fn mark(rows: &mut [Row]) {
    if !rows.iter().any(is_compacted) {
        return;
    }
    let mut earlier = EarlierRows { rows: HashMap::new(), newest: f64::NEG_INFINITY };
    let mut at = 0;
    while at < rows.len() {
        let list = List::of(&rows[at..], &earlier);
        let end = at + list.sources.len().max(1);
        for (index, row) in rows.iter().enumerate().take(end).skip(at) {
            earlier.add(row, index);
        }
        if list.has_summary {
            for (index, (row, source)) in rows[at..end].iter_mut().zip(list.sources).enumerate() {
                let context = json!({"resets": index == 0, "kept": source.is_some(), "harness": is_summary(row)});
                row.insert(KEY.to_owned(), context);
            }
        }
        at = end;
    }
}

/// What a message and its copies have in common.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    /// The ids of the calls of a reply.
    Calls(Vec<String>),
    /// The call that a result answers.
    Result(String),
    /// The role and the content of other messages.
    Text(String, String),
}

impl Identity {
    fn of(row: &Row) -> Self {
        let calls = row.get("tool_calls").and_then(Json::as_array).into_iter().flatten();
        let ids: Vec<String> = calls.filter_map(|call| Some(call.get("id")?.as_str()?.to_owned())).collect();
        let answered = text(row, "tool_call_id");
        if !ids.is_empty() {
            Self::Calls(ids)
        } else if answered.is_empty() {
            let content = row.get("content").map(Json::to_string).unwrap_or_default();
            Self::Text(text(row, "role").to_owned(), content)
        } else {
            Self::Result(answered.to_owned())
        }
    }
}

/// The rows so far.
struct EarlierRows {
    /// Their indexes by what identifies them, in order.
    rows: HashMap<Identity, Vec<usize>>,
    /// The latest time.
    newest: f64,
}

impl EarlierRows {
    fn add(&mut self, row: &Row, index: usize) {
        self.rows.entry(Identity::of(row)).or_default().push(index);
        self.newest = time(row).map_or(self.newest, |time| time.max(self.newest));
    }

    /// The first row from an index on that a row may be a copy of.
    fn find(&self, row: &Row, from: usize) -> Option<usize> {
        let indexes = self.rows.get(&Identity::of(row))?;
        indexes.get(indexes.partition_point(|index| *index < from)).copied()
    }
}

/// Rows that may be the context after a compaction.
struct List {
    /// For each row, the index of the row that it is a copy of. Only summaries are no copies.
    sources: Vec<Option<usize>>,
    has_summary: bool,
}

impl List {
    /// The longest list with which rows begin: summaries, and copies in the order of the rows before.
    fn of(rows: &[Row], earlier: &EarlierRows) -> Self {
        let mut list = Self { sources: Vec::new(), has_summary: false };
        let (mut next, mut newest, mut has_new_time) = (0, earlier.newest, false);
        for row in rows {
            let (is_summary, source) = (is_summary(row), earlier.find(row, next));
            // The newest list is in the context.
            let is_of_other_list = rows.first().is_some_and(|first| is_compacted(first) != is_compacted(row));
            let is_later = time(row).is_some_and(|time| time > newest + AT_ONCE);
            if !is_summary && source.is_none() || is_of_other_list || is_later && has_new_time {
                break;
            }
            has_new_time |= is_later;
            newest = time(row).map_or(newest, |time| time.max(newest));
            next = source.map_or(next, |source| source + 1);
            list.has_summary |= is_summary;
            list.sources.push(source);
        }
        list
    }
}

fn time(row: &Row) -> Option<f64> {
    row.get("timestamp").and_then(Json::as_f64)
}

fn is_summary(row: &Row) -> bool {
    let content = text(row, "content");
    SUMMARIES.iter().any(|prefix| content.starts_with(prefix))
}
