//! Files that are read. All are opened here, so that no output replaces one of them (`host::OutputFile`), and so that
//! neither devices nor files outside a repository are read because of what the repository contains.

#![expect(clippy::disallowed_methods, reason = "reading files is what this file is for")]

mod id;
mod reads;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

pub use self::id::FileId;
pub use self::reads::{keep_track, note_stdin, was_read};
use super::root::{folder, repository_root};

/// The largest policy or settings file, in bytes. 40,000 rules take 7 MB.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// The largest recording that a file of a project may name, in bytes. Recordings that a person names have no limit.
pub const MAX_RECORDING_BYTES: u64 = 1 << 30;

/// Opens a file that a person names.
///
/// # Errors
/// If it cannot be opened, is a symbolic link that leads out of a repository, or a pipe or a device, whose end may never
/// come, unless the caller has opened it: `<(command)` in a shell is such a path.
pub fn open(path: &Path) -> io::Result<File> {
    check_link(path)?;
    check_ends(path)?;
    let file = File::open(path)?;
    reads::note(&file, path);
    Ok(file)
}

/// Reads a file that a person names.
///
/// # Errors
/// As for [`open`], or if it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file that a person names, or one of a project, if it has at most this many bytes.
///
/// # Errors
/// As for [`read`], or if it is longer.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    limited(open(path)?, most)
}

/// Reads a file that another file names. It must be a regular file: a pipe could block, and a device has no end.
///
/// # Errors
/// As for [`read_at_most`], or if it is not a regular file.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_without_waiting(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    reads::note(&file, path);
    limited(file, most)
}

/// Opens a file without waiting for the writer of a pipe.
fn open_without_waiting(path: &Path) -> io::Result<File> {
    check_link(path)?;
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut options = File::options();
    options.read(true);
    // The file may have been replaced since.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options.open(path)
}

/// Reads all of a stream, if it has at most this many bytes.
///
/// # Errors
/// If it cannot be read, or is longer.
pub fn limited(stream: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(too_long(most)));
    }
    Ok(bytes)
}

/// Fails for a pipe or a device that the caller has not opened.
fn check_ends(path: &Path) -> io::Result<()> {
    const OPENED: [&str; 5] = ["/dev/fd", "/dev/stdin", "/dev/null", "/proc/self/fd", "/proc/thread-self/fd"];
    let may_wait = fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir());
    if may_wait && !OPENED.iter().any(|opened| path.starts_with(opened)) {
        return Err(io::Error::other("it is a pipe or a device, not a file (`-` reads standard input)"));
    }
    Ok(())
}

/// Fails if there is a file at a path that must not be read: not a regular one, one that is too large for a text, or a link
/// that leads out of the repository.
///
/// # Errors
/// The text is the reason.
pub fn check_regular(path: &Path) -> Result<(), String> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    check_link(path).map_err(|error| error.to_string())?;
    match fs::metadata(path) {
        Ok(file) if !file.is_file() => Err("it is not a regular file".to_owned()),
        Ok(file) if file.len() > MAX_TEXT_BYTES => Err(too_long(MAX_TEXT_BYTES)),
        _ => Ok(()),
    }
}

fn too_long(most: u64) -> String {
    format!("it has more than {} MiB", most >> 20)
}

/// Fails for a symbolic link in a repository to a file outside it. Repositories can contain such links, and a pattern of the
/// shell selects them like any other file.
fn check_link(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_symlink() || !leads_out(path)? {
        return Ok(());
    }
    Err(io::Error::other("it is a symbolic link that leads out of the repository; name the file itself"))
}

/// Whether a symbolic link is in a repository and its target is not.
fn leads_out(link: &Path) -> io::Result<bool> {
    let folder = fs::canonicalize(folder(link))?;
    let Some(root) = repository_root(&folder) else { return Ok(false) };
    Ok(!fs::canonicalize(link)?.starts_with(root))
}
