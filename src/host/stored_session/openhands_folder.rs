//! Conversations of the OpenHands SDK, which spreads each over the files of a folder.
//!
//! `base_state.json` describes the conversation, and `events/event-NUMBER-ID.json` is an event of it.

#![expect(clippy::disallowed_methods, reason = "reading files of the user is what this file is for")]

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::Form;
use crate::host::file::{self, MAX_RECORDING_BYTES};

/// The file that describes a conversation.
const STATE: &str = "base_state.json";
/// The folder of its events.
const EVENTS: &str = "events";
/// What stands for a file that is not JSON, so that it is counted as skipped.
const BROKEN_FILE: &str = "{}";

pub(super) const FORM: Form = Form { read, is_part: is_event };

/// Reads a conversation from the file that describes it, as a list of its state and its events.
fn read(path: &Path) -> Option<io::Result<Vec<u8>>> {
    let events = path.parent()?.join(EVENTS);
    (path.file_name() == Some(OsStr::new(STATE)) && events.is_dir()).then(|| assemble(path, &events))
}

/// Whether a file in a folder is an event of a conversation that another file describes.
fn is_event(path: &Path) -> bool {
    let has_name = path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with("event-"));
    let folder = path.parent().filter(|folder| has_name && folder.file_name() == Some(OsStr::new(EVENTS)));
    folder.and_then(Path::parent).is_some_and(|conversation| conversation.join(STATE).is_file())
}

fn assemble(state: &Path, events: &Path) -> io::Result<Vec<u8>> {
    let mut text = format!("[{}", json(state)?);
    for event in files(events)? {
        text.push(',');
        text += &json(&event)?;
    }
    text.push(']');
    Ok(text.into_bytes())
}

/// The text of a file, or [`BROKEN_FILE`] if it is not JSON.
fn json(path: &Path) -> io::Result<String> {
    let bytes = file::read_regular(path, MAX_RECORDING_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
    Ok(if is_json { text.into_owned() } else { BROKEN_FILE.to_owned() })
}

/// The events in their order. Numbers of more than five digits sort after shorter ones.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries: io::Result<Vec<PathBuf>> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut events = entries?;
    events.retain(|path| is_event(path) && path.extension() == Some(OsStr::new("json")));
    events.sort_by_cached_key(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name.split('-').nth(1).map_or(0, str::len), name)
    });
    Ok(events)
}
