//! Loads imported files from disk, inside the project only.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use trimtab_base::source::{LoadError, LoadedSource, SourceLoader, has_root, resolved_path};

use super::file::{self, MAX_TEXT_BYTES};
use super::root::{folder, joined, project_root};

/// The files of one project.
///
/// Its root is the nearest folder above the first file that contains `trimtab.toml` or `.git`, or else the folder of that
/// file. No file outside it is read, neither by path nor through a symbolic link.
#[derive(Clone, Debug)]
pub struct Files {
    /// The root, without symbolic links, or `None` if the folder of the first file does not exist.
    root: Option<PathBuf>,
    /// The name under which each file was first loaded, by its path without symbolic links.
    names: HashMap<PathBuf, String>,
}

impl Files {
    /// The files of the project of a policy file. A name without a file, such as that of standard input, is in the
    /// current folder.
    pub fn around(first: &str) -> Self {
        let root = folder(Path::new(first)).canonicalize().ok().map(|folder| project_root(&folder));
        let mut names = HashMap::new();
        if let Ok(path) = Path::new(first).canonicalize() {
            names.insert(path, first.to_owned());
        }
        Self { root, names }
    }
}

impl SourceLoader for Files {
    fn load(&mut self, from: &str, path: &str) -> Result<LoadedSource, LoadError> {
        if has_root(path) {
            return Err(LoadError::Absolute);
        }
        let root = self.root.as_deref().ok_or(LoadError::Missing)?;
        let outside = || LoadError::Outside(format!("the project root `{}`", root.display()));
        // Checked before the disk is read, so that errors reveal nothing about files outside.
        let folder = folder(Path::new(from)).canonicalize().map_err(|error| unreadable(&error))?;
        if !joined(&folder, path).is_some_and(|path| path.starts_with(root)) {
            return Err(outside());
        }
        let file = folder.join(path).canonicalize().map_err(|error| unreadable(&error))?;
        if !file.starts_with(root) {
            return Err(outside());
        }
        let bytes = file::read_regular(&file, MAX_TEXT_BYTES).map_err(|error| unreadable(&error))?;
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
    let bytes = file::read_at_most(path, MAX_TEXT_BYTES)?;
    String::from_utf8(bytes).map_err(|error| std::io::Error::new(ErrorKind::InvalidData, error))
}

fn unreadable(error: &std::io::Error) -> LoadError {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => LoadError::Missing,
        _ => LoadError::Unreadable(error.to_string()),
    }
}
