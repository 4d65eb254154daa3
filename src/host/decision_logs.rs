//! The logs of decisions of conversations, one file each. A log has no text of a conversation, except summaries.

#![expect(clippy::disallowed_methods, reason = "the logs are read here")]

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::private;

/// A folder with the logs of conversations.
#[derive(Clone, Debug)]
pub struct DecisionLogs {
    folder: PathBuf,
}

impl DecisionLogs {
    /// Creates the folder if it is missing, and removes logs of conversations that ended long ago.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        private::create_folder(folder)?;
        private::remove_old(folder, "jsonl", private::KEPT);
        Ok(Self { folder: folder.to_path_buf() })
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
        match fs::remove_file(self.path(conversation)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Adds lines to the log of a conversation.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn append(&self, conversation: &str, lines: &str) -> io::Result<()> {
        let mut file = private::options().append(true).create(true).open(self.path(conversation))?;
        // A line that a killed process has left incomplete is ended first. In one write, so that lines stay whole.
        file.write_all(format!("\n{lines}").as_bytes())
    }

    fn path(&self, conversation: &str) -> PathBuf {
        self.folder.join(format!("{conversation}.jsonl"))
    }
}
