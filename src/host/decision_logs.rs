//! The logs of decisions of conversations, one file each. A log has no text of a conversation, except summaries.

#![expect(clippy::disallowed_methods, reason = "the logs are read here")]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::open_files::OpenFiles;
use super::private;

/// A folder with the logs of conversations.
#[derive(Clone, Debug)]
pub struct DecisionLogs {
    folder: PathBuf,
    open: Arc<Mutex<OpenFiles>>,
}

impl DecisionLogs {
    /// Creates the folder if it is missing, and removes logs of conversations that ended long ago.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        private::create_folder(folder)?;
        private::remove_old(folder, "jsonl", private::KEPT);
        Ok(Self { folder: folder.to_path_buf(), open: Arc::default() })
    }

    /// The log of a conversation; empty if it has none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, conversation: &str) -> io::Result<String> {
        match fs::read(self.path(conversation)) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    /// Begins the log of a conversation anew: its old decisions are of another policy.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn clear(&self, conversation: &str) -> io::Result<()> {
        let path = self.path(conversation);
        self.files().close(&path);
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Adds lines to the log of a conversation.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn append(&self, conversation: &str, lines: &str) -> io::Result<()> {
        // A line that a killed process has left incomplete is ended first. In one write, so that lines stay whole.
        let lines = format!("\n{lines}");
        let mut options = private::options();
        options.append(true).create(true);
        self.files().write(&self.path(conversation), &options, |file| file.write_all(lines.as_bytes()))
    }

    fn files(&self) -> MutexGuard<'_, OpenFiles> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, conversation: &str) -> PathBuf {
        self.folder.join(format!("{conversation}.jsonl"))
    }
}
