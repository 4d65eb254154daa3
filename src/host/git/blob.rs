//! Files of revisions, from one process that stays open.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::command;
use crate::host::file::MAX_TEXT_BYTES;

/// A file of a revision.
pub(super) enum Blob {
    Text(Vec<u8>),
    /// There is none, or one that is too large for a text.
    Missing,
}

/// Reads files with `git cat-file --batch`, which is started for the first one.
#[derive(Debug, Default)]
pub(super) struct BlobReader(Option<Batch>);

#[derive(Debug)]
struct Batch {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl BlobReader {
    /// The file of a revision at this path from the root of the repository.
    pub(super) fn read(&mut self, revision: &str, path: &Path) -> Result<Blob, String> {
        let object = super::object(revision, path);
        // One request is one line.
        if object.as_encoded_bytes().contains(&b'\n') {
            return Ok(Blob::Missing);
        }
        let batch = match self.0.take() {
            Some(batch) => batch,
            None => Batch::start()?,
        };
        let (blob, batch) = batch.read(object.as_encoded_bytes()).map_err(|error| format!("git: {error}"))?;
        self.0 = batch;
        // A missing object of a clone without all objects is in the tree all the same.
        if matches!(blob, Blob::Missing) && self.0.is_some() && super::is_in_tree(&object) {
            let path = path.display();
            return Err(format!("{path} of `{revision}` is not in this partial clone; fetch it with `git fetch`"));
        }
        Ok(blob)
    }
}

impl Batch {
    fn start() -> Result<Self, String> {
        let mut git = command::command(["cat-file", "--batch"])?;
        git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = git.spawn().map_err(|error| command::start_failure(&error))?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (requests, answers) = pipes.ok_or("git did not start: no pipe")?;
        Ok(Self { process, requests, answers: BufReader::new(answers) })
    }

    /// The file, and the process unless its answer was not read to the end.
    fn read(mut self, object: &[u8]) -> std::io::Result<(Blob, Option<Self>)> {
        self.requests.write_all(&[object, b"\n"].concat())?;
        self.requests.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        // `OBJECT blob SIZE`, or the request and `missing`.
        let size = head.trim_end().rsplit_once(" blob ").and_then(|(_, size)| size.parse::<u64>().ok());
        let Some(size) = size else { return Ok((Blob::Missing, Some(self))) };
        if size > MAX_TEXT_BYTES {
            return Ok((Blob::Missing, None));
        }
        let mut text = Vec::new();
        self.answers.by_ref().take(size + 1).read_to_end(&mut text)?;
        text.pop();
        Ok((Blob::Text(text), Some(self)))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
