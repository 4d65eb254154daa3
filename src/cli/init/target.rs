//! The files that are written, and whether they can be.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::host::output::create_file;

/// A file of the project: to be written, or existing.
#[derive(Debug)]
pub(super) struct TargetFile {
    pub(super) path: PathBuf,
    /// The text to write unless the file exists, or `None` if it is known to exist.
    pub(super) text: Option<String>,
}

/// What was done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileOutcome {
    /// It was written, or would be in a dry run.
    Created,
    /// It existed and was not changed.
    Kept,
}

/// A file and what was done with it.
pub(super) type FileResult<'a> = (&'a Path, FileOutcome);

impl TargetFile {
    pub(super) fn new(path: PathBuf, text: String) -> Self {
        Self { path, text: Some(text) }
    }

    pub(super) fn existing(path: PathBuf) -> Self {
        Self { path, text: None }
    }

    /// What writing the file would do, or why it is impossible. Nothing outside `boundary` is written.
    pub(super) fn check(&self, boundary: &Path) -> Result<FileOutcome, String> {
        match self.path.symlink_metadata() {
            _ if self.text.is_none() => Ok(FileOutcome::Kept),
            Ok(_) => match self.path.metadata() {
                Ok(metadata) if metadata.is_dir() => Err("it is a directory".to_owned()),
                Ok(_) => Ok(FileOutcome::Kept),
                Err(_) => Err("it is a symbolic link to a missing file".to_owned()),
            },
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                check_directory(&self.path, boundary).map(|()| FileOutcome::Created)
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes the file unless it exists.
    pub(super) fn write(&self) -> Result<FileOutcome, String> {
        let Some(text) = &self.text else { return Ok(FileOutcome::Kept) };
        // Asked before: creating the file would also create its directories.
        if self.path.symlink_metadata().is_ok() {
            return Ok(FileOutcome::Kept);
        }
        create_file(&self.path, text).map(|is_new| if is_new { FileOutcome::Created } else { FileOutcome::Kept })
    }
}

/// Why a file cannot be in its directory: the nearest part that exists must be a directory inside `boundary`.
fn check_directory(path: &Path, boundary: &Path) -> Result<(), String> {
    let Some(nearest) = path.ancestors().skip(1).find(|part| part.symlink_metadata().is_ok()) else { return Ok(()) };
    let name = nearest.strip_prefix(boundary).unwrap_or(nearest).display();
    match nearest.canonicalize() {
        Ok(real) if !real.is_dir() => Err(format!("`{name}` is not a directory")),
        // A boundary that does not exist contains no symbolic links.
        Ok(real) if boundary.exists() && !real.starts_with(boundary) => {
            Err(format!("`{name}` is a symbolic link to a directory outside {}", boundary.display()))
        }
        Ok(_) => Ok(()),
        Err(_) if nearest.is_symlink() => Err(format!("`{name}` is a symbolic link to a missing directory")),
        Err(error) => Err(error.to_string()),
    }
}
