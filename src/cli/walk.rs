//! The files below a directory, without those that git ignores.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};

use crate::host::file;

/// The files that say what is ignored, in every directory.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// Entries of a directory and of those below it, sorted by path.
pub(super) struct Walk {
    entries: ignore::Walk,
    /// The directories that were passed over because of their ignore files.
    refused: Arc<Mutex<VecDeque<WalkError>>>,
}

/// Why a directory cannot be searched.
#[derive(Debug)]
pub(super) enum WalkError {
    /// This directory cannot be read.
    Folder(Option<PathBuf>),
    /// The ignore file of a directory must not be read, for this reason.
    IgnoreFile(PathBuf, String),
}

impl Walk {
    /// The entries below a directory, at most this many levels deep.
    ///
    /// Ignore files are read by a library, which would also read devices, wait for pipes and follow links out of the
    /// repository. A directory with such an ignore file is passed over.
    pub(super) fn new(root: &Path, depth: Option<usize>) -> Self {
        let refused = Arc::new(Mutex::new(VecDeque::new()));
        let full = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut walk = WalkBuilder::new(root);
        walk.max_depth(depth).sort_by_file_path(Ord::cmp);
        if let Some(error) = full.ancestors().find_map(unsound_ignore_file) {
            refused.lock().unwrap_or_else(PoisonError::into_inner).push_back(error);
            // Nothing of it is read.
            walk.standard_filters(false).max_depth(Some(0));
        }
        let found = Arc::clone(&refused);
        walk.filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let error = is_folder.then(|| unsound_ignore_file(entry.path())).flatten();
            let is_sound = error.is_none();
            found.lock().unwrap_or_else(PoisonError::into_inner).extend(error);
            is_sound
        });
        Self { entries: walk.build(), refused }
    }
}

impl Iterator for Walk {
    type Item = Result<DirEntry, WalkError>;

    fn next(&mut self) -> Option<Self::Item> {
        let refused = || self.refused.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if let Some(error) = refused() {
            return Some(Err(error));
        }
        let next = self
            .entries
            .next()
            .map(|entry| entry.map_err(|error| WalkError::Folder(unreadable_dir(&error).map(Path::to_path_buf))));
        next.or_else(|| refused().map(Err))
    }
}

/// An ignore file of a directory that must not be read.
fn unsound_ignore_file(folder: &Path) -> Option<WalkError> {
    IGNORE_FILES.iter().find_map(|name| {
        let path = folder.join(name);
        let reason = file::check_regular(&path).err()?;
        Some(WalkError::IgnoreFile(path, reason))
    })
}

/// The directory that could not be read.
fn unreadable_dir(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => unreadable_dir(err),
        _ => None,
    }
}
