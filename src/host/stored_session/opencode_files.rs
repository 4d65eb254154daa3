//! Sessions in the storage of OpenCode, which spreads each over many files.
//!
//! Below the storage, `session/PROJECT/ses_X.json` describes a session, `message/ses_X/msg_Y.json` a message of it and
//! `part/msg_Y/prt_Z.json` a part of that. The names of messages and parts sort by time.

#![expect(clippy::disallowed_methods, reason = "reading files of the user is what this file is for")]

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::{Form, opencode_database};
use crate::host::file::{self, MAX_RECORDING_BYTES};

/// What stands for a part that is not JSON, so that it is counted as skipped.
const BROKEN_PART: &str = r#"{"type":"broken file"}"#;

pub(super) const FORM: Form = Form { read, is_part };

/// Reads a session from the file that describes it, as `opencode export` writes sessions.
fn read(path: &Path) -> Option<io::Result<Vec<u8>>> {
    let storage = storage_of(path)?;
    let id = path.file_stem()?.to_str()?;
    Some(assemble(path, storage, id))
}

/// The storage that a file which describes a session belongs to.
fn storage_of(session: &Path) -> Option<&Path> {
    let storage = session.ancestors().nth(3)?;
    session.file_stem()?.to_str().filter(|name| name.starts_with("ses_"))?;
    let is_session = session.ancestors().nth(2)?.file_name() == Some(OsStr::new("session"));
    (is_session && storage.join("message").is_dir()).then_some(storage)
}

/// Whether a file belongs to the storage of OpenCode and does not describe a session, or describes one that has moved to
/// the database beside the storage.
fn is_part(path: &Path) -> bool {
    let database = storage_of(path).and_then(Path::parent).map(|folder| folder.join(opencode_database::FILE));
    if database.is_some_and(|database| database.is_file()) {
        return true;
    }
    let begins = |at: usize, prefix: &str| {
        path.ancestors()
            .nth(at)
            .and_then(Path::file_name)
            .and_then(OsStr::to_str)
            .is_some_and(|name| name.starts_with(prefix))
    };
    let is_message = begins(0, "msg_") && begins(1, "ses_");
    let is_part = begins(0, "prt_") && begins(1, "msg_");
    let is_beside = |storage: &Path| storage.join("session").is_dir() && storage.join("message").is_dir();
    is_message || is_part || path.ancestors().nth(2).is_some_and(is_beside)
}

fn assemble(session: &Path, storage: &Path, id: &str) -> io::Result<Vec<u8>> {
    let mut text = format!("{{\"info\":{},\"messages\":[", text(session)?);
    for (at, message) in files(&storage.join("message").join(id))?.iter().enumerate() {
        let info = json(message, "{}")?;
        let name = message.file_stem().unwrap_or_default();
        let parts: io::Result<Vec<String>> =
            files(&storage.join("part").join(name))?.iter().map(|part| json(part, BROKEN_PART)).collect();
        let comma = if at == 0 { "" } else { "," };
        text += &format!("{comma}{{\"info\":{info},\"parts\":[{}]}}", parts?.join(","));
    }
    text += "]}";
    Ok(text.into_bytes())
}

/// The text of a file.
fn text(path: &Path) -> io::Result<String> {
    let bytes = file::read_regular(path, MAX_RECORDING_BYTES)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The text of a file, or `instead` if it is not JSON.
fn json(path: &Path, instead: &str) -> io::Result<String> {
    let bytes = file::read_regular(path, MAX_RECORDING_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
    Ok(if is_json { text.into_owned() } else { instead.to_owned() })
}

/// The JSON files of a folder in the order of their names. Empty if there is no folder.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries: io::Result<Vec<PathBuf>> = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut files = entries?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Ok(files)
}
