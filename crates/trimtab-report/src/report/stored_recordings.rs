//! Recordings of coding agents on a machine, by tool.

use super::listing::{Column, Listing, Section};
use super::number::{count, list};
use super::result::{StoredRecordings, StoresResult};

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
        let files = format!("{}{more}", count(one.files));
        vec![one.tool.clone(), files, count(one.bytes), day.to_owned(), one.place.clone()]
    });
    let none = found.is_empty().then(|| format!("Found no recordings of {}.", list(tools, tools.len())));
    let section = Section { columns, rows: rows.collect(), notes: none.into_iter().collect(), ..Section::default() };
    let result = StoresResult::from(found);
    Listing::new(vec![section], &result, &result.tools)
}
