//! Recordings of live sessions in a folder, one file for each branch of a session.

#![expect(clippy::disallowed_methods, reason = "recordings are read again here")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use trimtab_live::engine::{Record, RecordFuture};

use super::private;

/// A folder into which sessions are recorded. Nobody else can read its files.
#[derive(Debug)]
pub struct RecordingFolder {
    folder: PathBuf,
    /// The files that were written, by session and branch.
    files: Mutex<BTreeMap<(String, u64), PathBuf>>,
}

/// How many recordings of one branch are kept.
const MAX_FILES: u64 = 10_000;

impl RecordingFolder {
    /// Creates the folder if it is missing.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        private::create_folder(folder)?;
        Ok(Self { folder: folder.to_path_buf(), files: Mutex::default() })
    }

    /// The recordings that were written, each with the path of its file. Those that cannot be read are left out.
    pub fn written(&self) -> Vec<(String, String)> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |path: &PathBuf| Some((path.display().to_string(), fs::read_to_string(path).ok()?));
        files.values().filter_map(read).collect()
    }

    /// The file of a branch: the first one that does not exist, or whose recording this one goes on with. So no other
    /// recording is lost.
    fn file(&self, session: &str, branch: u64, lines: &str) -> io::Result<PathBuf> {
        let base = if branch == 0 { session.to_owned() } else { format!("{session}-{branch}") };
        let names = std::iter::once(base.clone()).chain((2..MAX_FILES).map(|number| format!("{base}.{number}")));
        let mut paths = names.map(|name| self.folder.join(format!("{name}.jsonl")));
        let goes_on = |path: &PathBuf| match fs::read(path) {
            Ok(old) => lines.as_bytes().starts_with(whole_lines(&old)),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        paths.find(goes_on).ok_or_else(|| io::Error::other("the folder has too many recordings of this conversation"))
    }

    fn write_at(&self, session: &str, branch: u64, at: u64, lines: &str) -> io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (session.to_owned(), branch);
        let path = match files.get(&key) {
            Some(path) if at > 0 => path.clone(),
            _ => self.file(session, branch, lines)?,
        };
        let mut file = private::options().write(true).create(true).truncate(false).open(&path)?;
        if file.metadata()?.len() < at {
            return Err(io::Error::other("the file has lost its beginning"));
        }
        file.set_len(at)?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(lines.as_bytes())?;
        files.insert(key, path);
        Ok(())
    }
}

/// The text up to the last line break. A process that was killed may have written a part of a line.
fn whole_lines(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)]
}

impl Record for RecordingFolder {
    fn write<'a>(&'a self, session: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a> {
        Box::pin(async move { self.write_at(session, branch, at, lines) })
    }
}
