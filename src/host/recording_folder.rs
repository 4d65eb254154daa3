//! Recordings of live sessions in a folder, one file for each branch of a session.

#![expect(clippy::disallowed_methods, reason = "recordings are read again here")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value as Json;
use trimtab_live::engine::{Record, RecordFuture};

use super::open_files::OpenFiles;
use super::private;

/// A folder into which sessions are recorded. Nobody else can read its files.
#[derive(Debug)]
pub struct RecordingFolder {
    folder: PathBuf,
    /// The files that were written, by session and branch, also in the folders inside.
    files: Arc<Mutex<Files>>,
}

#[derive(Debug, Default)]
struct Files {
    known: BTreeMap<(String, u64), RecordingFile>,
    open: OpenFiles,
}

/// The file of a branch.
#[derive(Clone, Debug)]
struct RecordingFile {
    path: PathBuf,
    /// The bytes that its beginning has more than that of the recording, which another process has written in other words.
    longer: i64,
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
    /// It cannot be created, or a link, which a repository may contain, leads out of this one.
    pub fn inside(&self, path: &Path) -> io::Result<Self> {
        let mut folder = self.folder.clone();
        for name in path {
            folder.push(name);
            if fs::symlink_metadata(&folder).is_ok_and(|known| known.is_symlink()) {
                return Err(io::Error::other(format!("{} is a link", folder.display())));
            }
        }
        private::create_folder(&folder)?;
        Ok(Self { folder, files: Arc::clone(&self.files) })
    }

    /// The recordings that were written, each with the path of its file. Those that cannot be read are left out.
    pub fn written(&self) -> Vec<(String, String)> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |RecordingFile { path, .. }: &RecordingFile| {
            Some((path.display().to_string(), fs::read_to_string(path).ok()?))
        };
        files.known.values().filter_map(read).collect()
    }

    /// The file of a branch, with the bytes that it has and the bytes of the recording that these are: the first one that does not
    /// exist, or whose recording this one goes on with. So no other recording is lost, also if the process is killed. A link or a
    /// device, which a repository may contain, is passed over.
    fn file(&self, session: &str, branch: u64, lines: &str) -> io::Result<(PathBuf, [usize; 2])> {
        let base = recording_name(session, branch);
        let names = std::iter::once(base.clone()).chain((2..MAX_FILES).map(|number| format!("{base}.{number}")));
        let known = |path: &Path| match fs::symlink_metadata(path) {
            Ok(file) if file.is_file() => {
                let old = fs::read(path).ok()?;
                let old = whole_lines(&old);
                Some([old.len(), continued(old, lines.as_bytes())?])
            }
            Ok(_) => None,
            Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some([0, 0]),
        };
        let mut paths = names.map(|name| self.folder.join(format!("{name}.jsonl")));
        let found = paths.find_map(|path| known(&path).map(|known| (path, known)));
        found.ok_or_else(|| io::Error::other("the directory has too many recordings of this conversation"))
    }

    fn write_at(&self, session: &str, branch: u64, at: u64, lines: &str) -> io::Result<()> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Files { known: files, open } = &mut *files;
        let key = (session.to_owned(), branch);
        let failure = || io::Error::other("the recording is too long");
        let number = |bytes: usize| i64::try_from(bytes).map_err(|_| failure());
        let (file_of_branch, known) = match files.get(&key) {
            Some(file) if at > 0 => (file.clone(), 0),
            _ => {
                let (path, [length, known]) = self.file(session, branch, lines)?;
                (RecordingFile { path, longer: number(length)? - number(known)? }, known)
            }
        };
        let start = (at + known as u64).checked_add_signed(file_of_branch.longer).ok_or_else(failure)?;
        let mut options = private::options();
        options.write(true).create(true).truncate(false);
        open.write(&file_of_branch.path, &options, |file| {
            match file.metadata()?.len() {
                length if length < start => return Err(io::Error::other("the file has lost its beginning")),
                length if length > start => file.set_len(start)?,
                _ => {}
            }
            file.seek(SeekFrom::Start(start))?;
            file.write_all(lines.as_bytes().get(known..).unwrap_or_default())
        })?;
        files.insert(key, file_of_branch);
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

/// The bytes of a recording that a file has, if it begins like the file: with the same lines, but for how arguments of calls are
/// written. Clients write them anew when they resume a session.
fn continued(old: &[u8], new: &[u8]) -> Option<usize> {
    if new.starts_with(old) {
        return Some(old.len());
    }
    let (mut known, mut rest) = (0, new);
    for old in old.split_inclusive(|byte| *byte == b'\n') {
        let end = rest.iter().position(|byte| *byte == b'\n')? + 1;
        let (line, others) = rest.split_at_checked(end)?;
        if line != old && parsed(old)? != parsed(line)? {
            return None;
        }
        (known, rest) = (known + end, others);
    }
    Some(known)
}

/// A line with the values of arguments that are texts.
fn parsed(line: &[u8]) -> Option<Json> {
    let mut json: Json = serde_json::from_slice(line).ok()?;
    for part in json.get_mut("content").and_then(Json::as_array_mut).into_iter().flatten() {
        let arguments = part.get("arguments").and_then(Json::as_str).and_then(|text| serde_json::from_str(text).ok());
        if let Some(arguments) = arguments {
            part["arguments"] = arguments;
        }
    }
    Some(json)
}

impl Record for RecordingFolder {
    fn write<'a>(&'a self, session: &'a str, branch: u64, at: u64, lines: &'a str) -> RecordFuture<'a> {
        Box::pin(async move { self.write_at(session, branch, at, lines) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "{\"trimtab\":1}\n{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"f\",\"arguments\":\"{\\\"x\\\": 1}\"}]}\n";

    fn files(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|file| file.expect("a file").file_name().into_string().expect("a name"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_recording_goes_on_in_its_file_however_arguments_are_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || RecordingFolder::open(folder.path()).expect("a folder");
        open().write_at("s", 0, 0, FIRST).expect("written");
        let respelled = FIRST.replace("{\\\"x\\\": 1}", "{ \\\"x\\\":1 }");
        let again = open();
        let (more, last) = ("{\"role\":\"user\",\"content\":\"b\"}\n", "{\"role\":\"user\",\"content\":\"c\"}\n");
        let whole = respelled.clone() + more;
        again.write_at("s", 0, 0, &whole).expect("written");
        again.write_at("s", 0, whole.len() as u64, last).expect("written");
        assert_eq!(files(folder.path()), ["s.jsonl"]);
        let text = fs::read_to_string(folder.path().join("s.jsonl")).expect("a recording");
        assert_eq!(text, [FIRST, more, last].concat());
        // What is said otherwise is another recording.
        open().write_at("s", 0, 0, &respelled.replace(":1 }", ":2 }")).expect("written");
        assert_eq!(files(folder.path()), ["s.2.jsonl", "s.jsonl"]);
    }
}
