//! The database of OpenCode since version 1.2.
//!
//! A message and a part of it are JSON in the column `data`, without their ids. Compactions name messages by their ids.

use std::collections::HashMap;
use std::io;

use serde_json::json;

use super::database::{Database, Row, Schema, take_text, text};

/// The name of the database.
pub const FILE: &str = "opencode.db";

pub(super) const SCHEMA: Schema =
    Schema { agent: "OpenCode", file: FILE, tables: &["session", "message", "part"], export };

/// Sessions as `opencode export` writes them.
fn export(database: &Database) -> io::Result<String> {
    // Within a message, ids sort by time.
    let mut parts = grouped(database.rows("part", "id")?, "message_id");
    let mut messages: HashMap<String, Vec<String>> = HashMap::new();
    for mut row in database.rows("message", "time_created, id")? {
        let parts = parts.remove(text(&row, "id")).unwrap_or_default();
        let id = json!(row.get("id"));
        let message = format!("{{\"id\":{id},\"info\":{},\"parts\":[{}]}}", take_json(&mut row), parts.join(","));
        messages.entry(take_text(&mut row, "session_id")).or_default().push(message);
    }
    let mut lines = String::new();
    for row in database.rows("session", "time_created, id")? {
        let Some(messages) = messages.remove(text(&row, "id")) else { continue };
        let info = json!({
            "id": row.get("id"), "parentID": row.get("parent_id"), "directory": row.get("directory"),
            "title": row.get("title"), "time": { "created": row.get("time_created") },
        });
        lines += &format!("{{\"info\":{info},\"messages\":[{}]}}\n", messages.join(","));
    }
    Ok(lines)
}

fn grouped(rows: Vec<Row>, column: &str) -> HashMap<String, Vec<String>> {
    let mut groups: HashMap<String, Vec<String>> = HashMap::new();
    for mut row in rows {
        let data = take_json(&mut row);
        groups.entry(take_text(&mut row, column)).or_default().push(data);
    }
    groups
}

/// The JSON of a message or a part, on one line. What is not JSON has a type that nothing knows, so that it is counted as
/// skipped.
fn take_json(row: &mut Row) -> String {
    let data = take_text(row, "data");
    if serde_json::from_str::<serde::de::IgnoredAny>(&data).is_err() {
        return r#"{"type":"broken row"}"#.to_owned();
    }
    // No string of valid JSON contains a line break.
    data.replace(['\n', '\r'], " ")
}
