//! What came of the recordings.

use std::io;

use serde_json::{Value as Json, json};

use super::unsupported::UnsupportedFiles;
use crate::report::ReplayResult;
use crate::transcript::ReadError;

/// Everything that came of the recordings, in input order.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) replays: Vec<ReplayResult>,
    pub(super) errors: Vec<Json>,
    /// What is printed of the errors at once; files of formats that are not read come at the end.
    pub(super) complaints: Vec<String>,
    pub(super) unread: UnsupportedFiles,
    /// How many of the errors are bugs of this program.
    pub(super) panicked: usize,
    /// Why contexts could not be written.
    pub(super) lost: Option<io::Error>,
}

impl Batch {
    pub(super) fn fail(&mut self, file: &str, error: ReadError) {
        self.errors.push(json!({ "file": file, "message": error.message, "line": error.line }));
        match error.unsupported {
            Some(kind) => self.unread.add(kind, file.to_owned(), error.message),
            None => self.complaints.push(format!("error: {file}: {}", error.message)),
        }
    }

    pub(super) fn take(&mut self, file: Self) {
        self.replays.extend(file.replays);
        self.errors.extend(file.errors);
        self.unread.take(file.unread);
        self.panicked += file.panicked;
    }

    /// How many files could not be read.
    pub(super) fn unread(&self) -> usize {
        self.errors.len() - self.panicked
    }
}
