//! What makes two names those of one file.

use std::fs::File;
use std::io;
use std::path::Path;

/// The identity of an existing file: the same for each of its names and links.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId(Id);

/// Device and inode.
#[cfg(unix)]
type Id = (u64, u64);
#[cfg(not(unix))]
type Id = std::path::PathBuf;

#[cfg(unix)]
impl FileId {
    /// The identity of an open file.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn of(file: &File, _: &Path) -> io::Result<Self> {
        Self::of_metadata(&file.metadata()?)
    }

    /// The identity of the file at a path; links are followed.
    ///
    /// # Errors
    /// If there is none.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::of_metadata(&path.metadata()?)
    }

    /// The identity of standard input.
    pub(super) fn of_stdin() -> Option<Self> {
        Self::of_stream(std::os::fd::AsFd::as_fd(&io::stdin()))
    }

    /// The identity of standard output.
    pub fn of_stdout() -> Option<Self> {
        Self::of_stream(std::os::fd::AsFd::as_fd(&io::stdout()))
    }

    fn of_stream(stream: std::os::fd::BorrowedFd<'_>) -> Option<Self> {
        Self::of_metadata(&File::from(stream.try_clone_to_owned().ok()?).metadata().ok()?).ok()
    }

    #[expect(clippy::unnecessary_wraps, reason = "as on systems where it can fail")]
    fn of_metadata(file: &std::fs::Metadata) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        Ok(Self((file.dev(), file.ino())))
    }
}

#[cfg(not(unix))]
impl FileId {
    /// The identity of an open file, from its path.
    ///
    /// # Errors
    /// If there is none any more.
    pub fn of(_: &File, path: &Path) -> io::Result<Self> {
        Self::at(path)
    }

    /// The identity of the file at a path; links are followed.
    ///
    /// # Errors
    /// If there is none.
    pub fn at(path: &Path) -> io::Result<Self> {
        path.canonicalize().map(Self)
    }

    /// Unknown: standard input has no path.
    pub(super) const fn of_stdin() -> Option<Self> {
        None
    }

    /// Unknown: standard output has no path.
    pub const fn of_stdout() -> Option<Self> {
        None
    }
}
