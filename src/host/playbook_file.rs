//! Playbooks in files.

use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;

use trimtab_base::playbook::{Playbook, SkippedStrategy};

use super::file;
use super::output::{create_file, write_file};

/// The file in which an agent's playbook is kept between sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaybookFile {
    path: PathBuf,
}

impl PlaybookFile {
    /// The file at a path. It need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Reads the playbook, and reports the strategies that were skipped because they are malformed. A file that does not
    /// exist is an empty playbook.
    ///
    /// # Errors
    /// The file cannot be read, or is not a playbook of this version.
    pub fn load(&self) -> Result<(Playbook, Vec<SkippedStrategy>)> {
        match file::read_at_most(&self.path, file::MAX_TEXT_BYTES).and_then(text) {
            Ok(text) => Playbook::read(&text).map_err(|error| Error::new(ErrorKind::InvalidData, error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok((Playbook::default(), Vec::new())),
            Err(error) => Err(error),
        }
    }

    /// Writes the playbook. Readers see the old file or the new one, never a part of it.
    ///
    /// # Errors
    /// The file cannot be written. The old one stays.
    pub fn save(&self, playbook: &Playbook) -> Result<()> {
        let text = playbook.write();
        if !self.path.exists() && create_file(&self.path, &text).map_err(Error::other)? {
            return Ok(());
        }
        write_file(&self.path, text.as_bytes()).map_err(Error::other)
    }
}

fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests look at the files")]
mod tests {
    use trimtab_base::playbook::{Delta, Timestamp};

    use super::*;

    fn playbook(content: &str) -> Playbook {
        let mut playbook = Playbook::default();
        playbook.apply(&[Delta::add("testing", content)], &Timestamp::Call(1));
        playbook
    }

    #[test]
    fn a_playbook_is_written_replaced_and_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = PlaybookFile::new(folder.path().join("agents/playbook.json"));
        assert_eq!(file.load().expect("no file"), (Playbook::default(), Vec::new()));
        for content in ["Run the tests.", "Run them often."] {
            file.save(&playbook(content)).expect("written");
            assert_eq!(file.load().expect("a playbook"), (playbook(content), Vec::new()));
        }
        let left: Vec<_> = std::fs::read_dir(folder.path().join("agents")).expect("a folder").collect();
        assert_eq!(left.len(), 1, "no temporary file is left");
    }

    #[test]
    fn a_file_that_is_not_a_playbook_is_an_error_and_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("playbook.json");
        std::fs::write(&path, "{}").expect("written");
        let error = PlaybookFile::new(&path).load().expect_err("no playbook");
        assert_eq!(error.to_string(), "the playbook has no number `schema_version`");
        assert_eq!(PlaybookFile::new(folder.path()).load().expect_err("a folder").kind(), ErrorKind::IsADirectory);
        assert!(PlaybookFile::new(folder.path()).save(&Playbook::default()).is_err());
    }
}
