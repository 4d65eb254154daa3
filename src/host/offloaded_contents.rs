//! Offloaded contents, which agents get back with `trimtab recall`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use trimtab_base::conversation::{content_id, is_content_id};

use super::{file, private};

/// The most bytes of a request that a proxy reads, and so of a content.
pub const MAX_REQUEST_BYTES: usize = 128 << 20;
/// The extension of a content.
const EXTENSION: &str = "txt";

/// A folder with offloaded contents. On Unix, it and its files are for their owner alone.
#[derive(Clone, Debug)]
pub struct OffloadedContents {
    folder: PathBuf,
}

impl OffloadedContents {
    /// The contents in the state folder of a proxy.
    pub fn of(state: &Path) -> Self {
        Self { folder: state.join("offloaded") }
    }

    /// Creates the folder if it is missing, and removes contents that were offloaded long ago.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(state: &Path) -> io::Result<Self> {
        let contents = Self::of(state);
        private::create_folder(&contents.folder)?;
        private::remove_old(&contents.folder, EXTENSION, private::KEPT);
        Ok(contents)
    }

    /// Writes a content atomically.
    ///
    /// # Errors
    /// It cannot be written, or is longer than a request may be.
    pub fn store(&self, content: &str) -> io::Result<()> {
        if content.len() > MAX_REQUEST_BYTES {
            return Err(io::Error::other("the content is longer than a request may be"));
        }
        // With the extension, so that a draft which a killed process leaves is removed like a content.
        let draft = tempfile::Builder::new().suffix(&format!(".{EXTENSION}")).tempfile_in(&self.folder);
        let mut draft = draft?;
        draft.write_all(content.as_bytes())?;
        draft.persist(self.path(&content_id(content))).map_err(|error| error.error)?;
        Ok(())
    }

    /// Returns the content with an id, or `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, id: &str) -> io::Result<Option<String>> {
        if !is_content_id(id) {
            return Ok(None);
        }
        match file::read_regular(&self.path(id), MAX_REQUEST_BYTES as u64) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(id).with_extension(EXTENSION)
    }
}
