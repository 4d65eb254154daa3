//! Loads imported files from disk, inside the project only.

#![expect(clippy::disallowed_methods, reason = "reading the files is what this file is for")]

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::source::{LoadError, LoadedSource, SourceLoader, resolved_path};

/// The files and folders that mark the root of a project.
const MARKS: [&str; 2] = ["trimtab.toml", ".git"];

/// The files of one project.
///
/// Its root is the nearest folder above the first file that contains `trimtab.toml` or `.git`, or else the folder of that
/// file. No file outside it is read, neither by path nor through a symbolic link.
#[derive(Clone, Debug)]
pub struct Files {
    /// The root, without symbolic links; none if the folder of the first file does not exist.
    root: Option<PathBuf>,
    /// The name under which each file was first loaded, by its path without symbolic links.
    names: HashMap<PathBuf, String>,
}

impl Files {
    /// The files of the project of a policy file. A name without a file, such as that of standard input, is in the
    /// current folder.
    pub fn around(first: &str) -> Self {
        let root = folder(first).canonicalize().ok().map(|folder| project_root(&folder));
        let mut names = HashMap::new();
        if let Ok(path) = Path::new(first).canonicalize() {
            names.insert(path, first.to_owned());
        }
        Self { root, names }
    }
}

impl SourceLoader for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<LoadedSource, LoadError> {
        let begins_elsewhere = |part| matches!(part, Component::RootDir | Component::Prefix(_));
        if Path::new(path).components().any(begins_elsewhere) {
            return Err(LoadError::Absolute);
        }
        let root = self.root.as_deref().ok_or(LoadError::Missing)?;
        let outside = || LoadError::Outside(format!("the project root `{}`", root.display()));
        // Checked before the disk is read, so that errors reveal nothing about files outside.
        let folder = folder(from).canonicalize().map_err(|error| unreadable(&error))?;
        if !steps(&folder, path).is_some_and(|path| path.starts_with(root)) {
            return Err(outside());
        }
        let file = folder.join(path).canonicalize().map_err(|error| unreadable(&error))?;
        if !file.starts_with(root) {
            return Err(outside());
        }
        if !file.is_file() {
            return Err(LoadError::Unreadable("it is not a file".to_owned()));
        }
        let bytes = std::fs::read(&file).map_err(|error| unreadable(&error))?;
        let text = String::from_utf8(bytes).map_err(|_| LoadError::Unreadable("it is not UTF-8 text".to_owned()))?;
        let from = from.replace(std::path::MAIN_SEPARATOR, "/");
        let name = self.names.entry(file).or_insert_with(|| resolved_path(&from, path)).clone();
        Ok(LoadedSource { name, text })
    }
}

/// Reads a policy file.
///
/// # Errors
/// The file cannot be read, or is not UTF-8.
pub fn read_policy(path: &Path) -> std::io::Result<String> {
    std::fs::read_to_string(path)
}

fn unreadable(error: &std::io::Error) -> LoadError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => LoadError::Missing,
        _ => LoadError::Unreadable(error.to_string()),
    }
}

/// The folder of a file.
fn folder(file: &str) -> &Path {
    Path::new(file).parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The root of the project of a folder: the nearest folder above it that contains `trimtab.toml` or `.git`, or else the
/// folder itself.
pub fn project_root(folder: &Path) -> PathBuf {
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().find(marked).unwrap_or(folder).to_path_buf()
}

/// Joins a path to a folder lexically; none above the root of the file system.
fn steps(folder: &Path, path: &str) -> Option<PathBuf> {
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
