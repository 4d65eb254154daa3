//! Files that stay open between writes.

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "a test reads what was written"))]

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// How many files stay open. A process may have a few hundred.
const MAX_OPEN: usize = 32;

/// The files that were written last.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// The one that was used last is at the end.
    files: Vec<(PathBuf, File)>,
}

impl OpenFiles {
    /// Writes to a file, which is opened with these options if it is not open. After an error it is closed.
    ///
    /// # Errors
    /// It cannot be opened, or those of `write`.
    pub(super) fn write<T>(
        &mut self,
        path: &Path,
        options: &OpenOptions,
        write: impl FnOnce(&mut File) -> io::Result<T>,
    ) -> io::Result<T> {
        let known = self.close(path).filter(is_linked);
        let mut file = known.map_or_else(|| options.open(path), Ok)?;
        let written = write(&mut file)?;
        if self.files.len() == MAX_OPEN {
            self.files.remove(0);
        }
        self.files.push((path.to_path_buf(), file));
        Ok(written)
    }

    /// Takes a file out of the list.
    pub(super) fn close(&mut self, path: &Path) -> Option<File> {
        let at = self.files.iter().position(|(known, _)| known == path)?;
        Some(self.files.remove(at).1)
    }
}

/// Whether a file still has a name. What is written to one that was removed is lost.
fn is_linked(file: &File) -> bool {
    #[cfg(unix)]
    return file.metadata().is_ok_and(|file| std::os::unix::fs::MetadataExt::nlink(&file) > 0);
    #[cfg(not(unix))]
    return file.metadata().is_ok();
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn only_so_many_files_stay_open_and_a_removed_one_is_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        let mut files = OpenFiles::default();
        let path = |number: usize| folder.path().join(number.to_string());
        for _ in 0..2 {
            for number in 0..MAX_OPEN + 3 {
                files.write(&path(number), &options, |file| file.write_all(b"a")).expect("written");
            }
        }
        assert_eq!(files.files.len(), MAX_OPEN);
        std::fs::remove_file(path(MAX_OPEN)).expect("removed");
        files.write(&path(MAX_OPEN), &options, |file| file.write_all(b"b")).expect("written");
        let text = |number| std::fs::read_to_string(path(number)).expect("a file");
        assert_eq!((text(0), text(MAX_OPEN)), ("aa".to_owned(), "b".to_owned()));
        let failed = files.write(&path(0), &options, |_| Err::<(), _>(io::Error::other("full")));
        assert!(failed.is_err() && files.close(&path(0)).is_none());
    }
}
