//! The text of a file until it is complete.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use super::place::{DestinationFile, OldFile};

/// A new file in the folder of its place. It vanishes unless it is persisted.
#[derive(Debug)]
pub(super) enum Draft {
    /// A file without a name.
    Unnamed(File),
    /// A file with a random name, where the system has no files without names.
    Named(NamedTempFile),
}

impl Draft {
    pub(super) fn create(place: &DestinationFile) -> io::Result<Self> {
        match unnamed(place.folder()) {
            Some(file) => Ok(Self::Unnamed(file)),
            None => names().tempfile_in(place.folder()).map(Self::Named),
        }
    }

    fn file(&self) -> &File {
        match self {
            Self::Unnamed(file) => file,
            Self::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name. Permissions are those of the old file, and so is the owner if the system allows it.
    ///
    /// # Errors
    /// If this fails, or with `replaces` unset there is a file of this name. Then nothing is left.
    pub(super) fn persist(self, place: &DestinationFile, replaces: bool) -> io::Result<()> {
        if let Some(old) = &place.old {
            keep_owner(self.file(), old);
            self.file().set_permissions(old.permissions.clone())?;
        }
        self.file().sync_all()?;
        match self {
            Self::Unnamed(file) => {
                let named = names().make_in(place.folder(), |name| link(&file, name))?;
                persist(named, &place.path, replaces)
            }
            Self::Named(file) => persist(file, &place.path, replaces),
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

fn persist<F>(file: NamedTempFile<F>, path: &Path, replaces: bool) -> io::Result<()> {
    let done = if replaces { file.persist(path) } else { file.persist_noclobber(path) };
    done.map(drop).map_err(|error| error.error)
}

/// Names for a draft that has or gets one.
fn names() -> Builder<'static, 'static> {
    let mut names = Builder::new();
    names.prefix(".trimtab-").suffix(".new");
    // Less what the mask of the user removes, as for any new file.
    #[cfg(unix)]
    names.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    names
}

/// Returns a file without a name in a folder, or `None` where there are no such files.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    // Without it the file could not be given a name.
    if !Path::new(LINKS).is_dir() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    open(folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)
}

/// Where a process finds its open files.
#[cfg(target_os = "linux")]
const LINKS: &str = "/proc/self/fd";

/// Gives a file without a name its first one.
#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};
    let open = format!("{LINKS}/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Only the administrator can give files away; a member of a group can pass them to it.
#[cfg(unix)]
fn keep_owner(file: &File, old: &OldFile) {
    use std::os::unix::fs::fchown;
    let (user, group) = old.owner;
    if fchown(file, Some(user), Some(group)).is_err() {
        drop(fchown(file, None, Some(group)));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &OldFile) {}
