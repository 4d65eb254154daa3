//! Recordings of coding agents on a machine, by tool.

use serde_json::{Value as Json, json};

use super::listing::{Column, Listing, Section};
use super::number::{count, list, whole};

/// The recordings of one tool.
#[derive(Clone, Debug)]
pub struct StoredRecordings {
    /// The tool.
    pub tool: &'static str,
    /// The format that they are read in.
    pub format: &'static str,
    /// The number of files.
    pub files: usize,
    /// Whether counting ended early.
    pub is_partial: bool,
    /// Their size in bytes.
    pub bytes: u64,
    /// When the newest one was changed, in RFC 3339.
    pub newest: Option<String>,
    /// The pattern of their paths.
    pub place: String,
}

/// A row for each tool. `tools` are all tools whose recordings were looked for.
pub fn stored_recordings(found: &[StoredRecordings], tools: &[&str]) -> Listing {
    let columns = vec![
        Column::name("tool"),
        Column::number("files"),
        Column::number("bytes"),
        Column::number("newest"),
        Column::text("paths"),
    ];
    let rows = found.iter().map(|one| {
        let more = if one.is_partial { "+" } else { "" };
        let day = one.newest.as_deref().and_then(|newest| newest.split('T').next()).unwrap_or_default();
        let files = format!("{}{more}", whole(one.files));
        vec![one.tool.to_owned(), files, count(one.bytes), day.to_owned(), one.place.clone()]
    });
    let none = found.is_empty().then(|| format!("No recordings were found of {}.", list(tools, tools.len())));
    let section = Section { columns, rows: rows.collect(), notes: none.into_iter().collect(), ..Section::default() };
    let lines: Vec<Json> = found.iter().map(store_json).collect();
    let json = json!({ "schema_version": 1, "tools": lines });
    Listing { sections: vec![section], json, lines }
}

fn store_json(one: &StoredRecordings) -> Json {
    json!({
        "tool": one.tool, "format": one.format, "files": one.files, "is_partial": one.is_partial, "bytes": one.bytes,
        "newest": one.newest, "place": one.place,
    })
}
