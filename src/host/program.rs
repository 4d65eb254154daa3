//! Finds programs that this command starts.

#![expect(clippy::disallowed_methods, reason = "programs are found by the environment")]

use std::env;
use std::path::{Path, PathBuf};

/// The file of a program in the directories of `PATH`. Relative directories are passed over: what they contain depends on
/// the working directory, which may be a repository of somebody else.
pub fn find(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
