//! The database of Hermes Agent.
//!
//! Rows that are not in the context are not `active`. Those that a person has taken back are left out, and those that a
//! compaction has replaced are part of the session.

use std::collections::HashMap;
use std::io;

use serde_json::Value as Json;

use super::database::{Database, Row, Schema, take_text, text};
use super::hermes_compaction;

/// The name of the database.
pub const FILE: &str = "state.db";

pub(super) const SCHEMA: Schema =
    Schema { agent: "Hermes Agent", file: FILE, tables: &["sessions", "messages"], export };

/// What stands before a content that is a list of parts.
const JSON_CONTENT: &str = "\0json:";

/// Sessions as `hermes sessions export` writes them.
fn export(database: &Database) -> io::Result<String> {
    let mut messages: HashMap<String, Vec<Row>> = HashMap::new();
    for mut row in database.rows("messages", "id")? {
        if row.get("active").and_then(Json::as_i64) == Some(0) && !hermes_compaction::is_compacted(&row) {
            continue;
        }
        decode(&mut row, "content", JSON_CONTENT);
        decode(&mut row, "tool_calls", "");
        messages.entry(take_text(&mut row, "session_id")).or_default().push(row);
    }
    let mut lines = String::new();
    for mut row in database.rows("sessions", "started_at, id")? {
        let Some(mut messages) = messages.remove(text(&row, "id")) else { continue };
        hermes_compaction::mark(&mut messages);
        row.insert("messages".to_owned(), messages.into_iter().map(Json::Object).collect());
        lines += &format!("{}\n", Json::Object(row));
    }
    Ok(lines)
}

/// Replaces a text by the JSON after a prefix, if it has any.
fn decode(row: &mut Row, column: &str, prefix: &str) {
    if let Some(value) = text(row, column).strip_prefix(prefix).and_then(|text| serde_json::from_str(text).ok()) {
        row.insert(column.to_owned(), value);
    }
}
