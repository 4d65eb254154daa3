//! Where projects and repositories begin.

use std::path::{Component, Path, PathBuf};

/// The files and folders that mark the root of a project.
const MARKS: [&str; 2] = ["trimtab.toml", ".git"];

/// The root of the project of a folder: the nearest folder above it that contains `trimtab.toml` or `.git`, or else the
/// folder itself.
pub fn project_root(folder: &Path) -> PathBuf {
    folder.ancestors().find(|folder| is_marked(folder)).unwrap_or(folder).to_path_buf()
}

/// Whether a folder contains `trimtab.toml` or `.git`.
pub(super) fn is_marked(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).exists())
}

/// The root of the repository of a folder: the nearest folder above it that contains `.git`.
pub fn repository_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// The folder of a file.
pub(super) fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Joins a path to a folder lexically, or returns `None` above the root of the file system.
pub fn joined(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut at = folder.to_path_buf();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir if !at.pop() => return None,
            Component::Normal(part) => at.push(part),
            _ => {}
        }
    }
    Some(at)
}
