//! The file that a path means when it is written.

use std::fs::{self, Metadata, Permissions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::host::file::{self, FileId};
use crate::host::root::{folder, repository_root};

/// As many symbolic links are followed as Linux follows.
const MAX_LINKS: usize = 40;

/// A regular file, or a name for a new one.
#[derive(Debug)]
pub(super) struct DestinationFile {
    /// The path without symbolic links.
    pub(super) path: PathBuf,
    /// The file that there was when the place was looked at.
    pub(super) old: Option<OldFile>,
}

/// What a new file keeps of the one that it replaces.
#[derive(Debug)]
pub(super) struct OldFile {
    pub(super) permissions: Permissions,
    /// The user and the group.
    #[cfg(unix)]
    pub(super) owner: (u32, u32),
}

impl OldFile {
    fn of(metadata: &Metadata) -> Self {
        Self {
            permissions: metadata.permissions(),
            #[cfg(unix)]
            owner: {
                use std::os::unix::fs::MetadataExt;
                (metadata.uid(), metadata.gid())
            },
        }
    }
}

impl DestinationFile {
    /// The place that a path means; symbolic links are followed.
    pub(super) fn of(path: &Path) -> Result<Self, String> {
        if path.as_os_str().as_encoded_bytes().last().is_some_and(|last| std::path::is_separator(char::from(*last))) {
            return Err("it is a directory".to_owned());
        }
        let path = resolved(path)?;
        let old = match fs::metadata(&path) {
            Ok(old) if old.is_dir() => return Err("it is a directory".to_owned()),
            Ok(old) if !old.is_file() => return Err("it is not a regular file".to_owned()),
            // A rename would replace it all the same.
            Ok(old) if old.permissions().readonly() => return Err("the file is read-only".to_owned()),
            Ok(old) => Some(OldFile::of(&old)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        Ok(Self { path, old })
    }

    /// Fails if the command has read the file.
    pub(super) fn check_unread(&self) -> Result<(), String> {
        let is_read = FileId::at(&self.path).is_ok_and(|id| file::was_read(&id));
        if is_read { Err("the command reads this file; name another one".to_owned()) } else { Ok(()) }
    }

    /// The folder that contains the file.
    pub(super) fn folder(&self) -> &Path {
        folder(&self.path)
    }
}

/// A path without symbolic links. The last ones may lead to a file that does not exist.
pub(super) fn resolved(path: &Path) -> Result<PathBuf, String> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(target) = fs::read_link(&path) {
            path = folder(&path).join(target);
            continue;
        }
        let name = path.file_name().ok_or("the path has no file name")?;
        let folder = fs::canonicalize(folder(&path)).map_err(|error| error.to_string())?;
        return Ok(folder.join(name));
    }
    Err("it leads through too many symbolic links".to_owned())
}

/// Fails if a part of the path is a symbolic link in a repository that leads out of it: a repository must not choose which
/// file outside is written.
pub(super) fn check_links(path: &Path) -> Result<(), String> {
    let mut part = PathBuf::new();
    for component in path.components() {
        part.push(component);
        if !part.is_symlink() {
            continue;
        }
        let from = fs::canonicalize(folder(&part)).map_err(|error| error.to_string())?;
        let Some(root) = repository_root(&from) else { continue };
        let to = fs::canonicalize(&part).or_else(|_| resolved(&part));
        if !to.is_ok_and(|to| to.starts_with(root)) {
            let link = part.display();
            return Err(format!("`{link}` is a symbolic link that leads out of the repository"));
        }
    }
    Ok(())
}
