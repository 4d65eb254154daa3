//! Files that nobody else on the machine can read, because they contain texts of conversations.

#![expect(clippy::disallowed_methods, reason = "the state folder of the user is found and cleaned here")]

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Options for a file that nobody else can read.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a folder that nobody else can read, and those above it.
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A file with this text that nobody else can read, and that is removed when it is dropped.
///
/// # Errors
/// It cannot be written.
#[cfg(feature = "proxy")]
pub fn temporary_file(text: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("trimtab-").suffix(".json").tempfile()?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    Ok(file)
}

/// How many days what a conversation leaves in the state folder of a proxy is kept after its last change.
#[cfg(feature = "proxy")]
pub const KEPT_DAYS: u64 = 30;
/// The same as a duration.
#[cfg(feature = "proxy")]
pub(super) const KEPT: Duration = Duration::from_secs(KEPT_DAYS * 24 * 60 * 60);

/// Removes the files of a folder with this extension that have not changed for this time.
pub(super) fn remove_old(folder: &Path, extension: &str, kept: Duration) {
    let is_old = |file: &fs::DirEntry| {
        let changed = file.metadata().and_then(|file| file.modified());
        changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > kept))
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for file in files.filter(|file| file.path().extension().is_some_and(|end| end == extension) && is_old(file)) {
        // A file that cannot be removed is tried again next time.
        let _ = fs::remove_file(file.path());
    }
}

/// The variable that names the state folder of the proxy for commands of its agent.
#[cfg(feature = "proxy")]
pub const STATE_VARIABLE: &str = "TRIMTAB_STATE";

/// The state folder of a proxy, if no other is given: that of [`STATE_VARIABLE`], or `proxy` in [`state_folder`].
#[cfg(feature = "proxy")]
pub fn proxy_state() -> Option<PathBuf> {
    let given = std::env::var_os(STATE_VARIABLE).map(PathBuf::from).filter(|folder| folder.is_absolute());
    given.or_else(|| Some(state_folder()?.join("proxy")))
}

/// Returns the folder of Trimtab for state of the user, `$XDG_STATE_HOME/trimtab` or `~/.local/state/trimtab`, or
/// `None` without a home directory.
pub(super) fn state_folder() -> Option<PathBuf> {
    let given = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    Some(given.or_else(|| Some(std::env::home_dir()?.join(".local").join("state")))?.join("trimtab"))
}
