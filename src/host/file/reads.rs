//! Which files this process has read, by their identities.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::id::FileId;

/// The files that were read since [`keep_track`]. A process that runs for long does not call it.
static READ: OnceLock<Mutex<HashSet<FileId>>> = OnceLock::new();

/// From now on, remembers which files are read.
pub fn keep_track() {
    READ.get_or_init(Mutex::default);
}

/// Whether a file was read since [`keep_track`].
pub fn was_read(file: &FileId) -> bool {
    read().is_some_and(|read| read.contains(file))
}

/// Remembers standard input, which may be redirected from a file.
pub fn note_stdin() {
    if let Some((mut read, id)) = read().zip(FileId::of_stdin()) {
        read.insert(id);
    }
}

/// Remembers an open file.
pub(super) fn note(file: &File, path: &Path) {
    if let Some((mut read, id)) = read().zip(FileId::of(file, path).ok()) {
        read.insert(id);
    }
}

fn read() -> Option<MutexGuard<'static, HashSet<FileId>>> {
    READ.get().map(|read| read.lock().unwrap_or_else(PoisonError::into_inner))
}
