//! Replaces a file atomically: readers see the old text or the new one.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Replaces the text of an existing file. Links and permissions are kept.
pub(super) fn replace(path: &Path, text: &str) -> Result<(), String> {
    let target = fs::canonicalize(path).map_err(|error| error.to_string())?;
    let permissions = fs::metadata(&target).map_err(|error| error.to_string())?.permissions();
    if permissions.readonly() {
        return Err("the file is read-only".to_owned());
    }
    let temporary_path = temporary_path(&target)?;
    let done = write(&temporary_path, text, permissions).and_then(|()| fs::rename(&temporary_path, &target));
    done.map_err(|error| {
        // The first error is the one to report.
        drop(fs::remove_file(&temporary_path));
        error.to_string()
    })
}

/// Writes a text to a file, which may exist.
pub(super) fn create_or_replace(path: &Path, text: &str) -> Result<(), String> {
    if path.is_file() { replace(path, text) } else { fs::write(path, text).map_err(|error| error.to_string()) }
}

/// A name in the same directory that no other process uses.
fn temporary_path(target: &Path) -> Result<PathBuf, String> {
    let name = target.file_name().ok_or("the path has no file name")?;
    let mut own = std::ffi::OsString::from(".");
    own.push(name);
    own.push(format!(".{}.new", std::process::id()));
    Ok(target.with_file_name(own))
}

fn write(path: &Path, text: &str, permissions: Permissions) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(permissions)?;
    file.sync_all()
}
