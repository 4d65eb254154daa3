//! Recordings of live sessions in a folder, one file for each branch of a session.

#![expect(clippy::disallowed_methods, reason = "recordings are read again here")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use trimtab_live::engine::{Record, RecordFuture};

use super::private;

/// A folder into which sessions are recorded. Nobody else can read its files.
#[derive(Debug)]
pub struct RecordingFolder {
    folder: PathBuf,
    /// The files that were written, by session and branch, also in the folders inside.
    files: Arc<Mutex<BTreeMap<(String, u64), PathBuf>>>,
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
        Ok(Self { folder: folder.to_path_buf(), files: Arc::default() })
    }

    /// A folder inside of this one, which is created if it is missing.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn inside(&self, path: &Path) -> io::Result<Self> {
        let folder = self.folder.join(path);
        private::create_folder(&folder)?;
        Ok(Self { folder, files: Arc::clone(&self.files) })
    }

    /// The recordings that were written, each with the path of its file. Those that cannot be read are left out.
    pub fn written(&self) -> Vec<(String, String)> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |path: &PathBuf| Some((path.display().to_string(), fs::read_to_string(path).ok()?));
        files.values().filter_map(read).collect()
    }

    /// The file of a branch, and how much of the recording it has: the first one that does not exist, or whose recording this
    /// one goes on with. So no other recording is lost, also if the process is killed. A link or a device, which a repository may
    /// contain, is passed over.
    fn file(&self, session: &str, branch: u64, lines: &str) -> io::Result<(PathBuf, u64)> {
        let base = recording_name(session, branch);
        let names = std::iter::once(base.clone()).chain((2..MAX_FILES).map(|number| format!("{base}.{number}")));
        let known = |path: &Path| match fs::symlink_metadata(path) {
            Ok(file) if file.is_file() => {
                let old = fs::read(path).ok()?;
                let old = whole_lines(&old);
                lines.as_bytes().starts_with(old).then_some(old.len() as u64)
            }
            Ok(_) => None,
            Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some(0),
        };
        let mut paths = names.map(|name| self.folder.join(format!("{name}.jsonl")));
        let found = paths.find_map(|path| known(&path).map(|known| (path, known)));
        found.ok_or_else(|| io::Error::other("the folder has too many recordings of this conversation"))
    }

    fn write_at(&self, session: &str, branch: u64, at: u64, lines: &str) -> io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (session.to_owned(), branch);
        let (path, known) = match files.get(&key) {
            Some(path) if at > 0 => (path.clone(), 0),
            _ => self.file(session, branch, lines)?,
        };
        let mut file = private::options().write(true).create(true).truncate(false).open(&path)?;
        let start = at + known;
        match file.metadata()?.len() {
            length if length < start => return Err(io::Error::other("the file has lost its beginning")),
            length if length > start => file.set_len(start)?,
            _ => {}
        }
        file.seek(SeekFrom::Start(start))?;
        let rest = usize::try_from(known).ok().and_then(|known| lines.as_bytes().get(known..));
        file.write_all(rest.unwrap_or_default())?;
        files.insert(key, path);
        Ok(())
    }
}

/// The name of the recording of a branch of a session.
pub fn recording_name(session: &str, branch: u64) -> String {
    if branch == 0 { session.to_owned() } else { format!("{session}-{branch}") }
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
