//! Recordings of live sessions in a folder, one file for each branch of a session.

#![expect(clippy::disallowed_methods, reason = "recordings are read again here")]

use std::collections::BTreeSet;
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
    /// The files that were written.
    written: Mutex<BTreeSet<PathBuf>>,
}

impl RecordingFolder {
    /// Creates the folder if it is missing.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        private::create_folder(folder)?;
        Ok(Self { folder: folder.to_path_buf(), written: Mutex::default() })
    }

    /// The recordings that were written, each with the path of its file. Those that cannot be read are left out.
    pub fn written(&self) -> Vec<(String, String)> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |path: &PathBuf| Some((path.display().to_string(), fs::read_to_string(path).ok()?));
        written.iter().filter_map(read).collect()
    }

    fn file(&self, session: &str, branch: u64) -> PathBuf {
        let name = if branch == 0 { session.to_owned() } else { format!("{session}-{branch}") };
        self.folder.join(format!("{name}.jsonl"))
    }

    fn write_at(&self, session: &str, branch: u64, at: u64, lines: &str) -> io::Result<()> {
        let path = self.file(session, branch);
        let mut file = private::options().write(true).create(true).truncate(false).open(&path)?;
        self.written.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
        if file.metadata()?.len() < at {
            return Err(io::Error::other("the file has lost its beginning"));
        }
        file.set_len(at)?;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(lines.as_bytes())
    }
}

impl Record for RecordingFolder {
    fn write<'a>(&'a self, session: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a> {
        Box::pin(async move { self.write_at(session, branch, at, lines) })
    }
}
