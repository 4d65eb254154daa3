//! Creates or replaces a file atomically: readers see the old text, if there is one, or the new one.

#![expect(clippy::disallowed_methods, reason = "writing files is what this file is for")]

use std::fs::{self, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Replaces the text of an existing file. Links and permissions are kept.
///
/// # Errors
/// The file cannot be replaced; the text is the reason.
pub fn replace_file(path: &Path, text: &str) -> Result<(), String> {
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
///
/// # Errors
/// The file cannot be written; the text is the reason.
pub fn create_or_replace_file(path: &Path, text: &str) -> Result<(), String> {
    if path.is_file() { replace_file(path, text) } else { fs::write(path, text).map_err(|error| error.to_string()) }
}

/// Writes a new file, in directories that are created too. Returns whether the file is new: one that exists, also as a
/// symbolic link to nothing, is not changed.
///
/// # Errors
/// The file cannot be written; the text is the reason.
pub fn create_file(path: &Path, text: &str) -> Result<bool, String> {
    let directory = path.parent().ok_or("the path has no directory")?;
    fs::create_dir_all(directory).map_err(|error| error.to_string())?;
    let temporary_path = temporary_path(path)?;
    let done = write_new(&temporary_path, text).and_then(|()| link(&temporary_path, path, text));
    // The result of the write is the one to report.
    drop(fs::remove_file(&temporary_path));
    done.map_err(|error| error.to_string())
}

/// Gives a complete file its name, unless the name is taken. A rename would replace the other file.
fn link(temporary_path: &Path, path: &Path, text: &str) -> std::io::Result<bool> {
    let done = match fs::hard_link(temporary_path, path) {
        // Some file systems have no links.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => write_new(path, text),
        done => done,
    };
    match done {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        done => done.map(|()| true),
    }
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
    write_new(path, text)?;
    fs::set_permissions(path, permissions)
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // The first error is the one to report.
        drop(fs::remove_file(path));
    }
    written
}
