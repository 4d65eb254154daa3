//! Writes the suggested policy.

use std::path::Path;

use crate::cli::console::Failure;
use crate::host::output::{create_file, write_file};

/// Fails if the file cannot be written, before any work is done.
pub(super) fn check(file: &Path, force: bool) -> Result<(), Failure> {
    if file.is_dir() {
        return Err(Failure::Message(format!("cannot write {}: it is a directory", file.display())));
    }
    if !force && file.symlink_metadata().is_ok() {
        return Err(exists(file));
    }
    Ok(())
}

/// Writes the policy.
pub(super) fn policy(file: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let failed = |reason: String| Failure::Message(format!("cannot write {}: {reason}", file.display()));
    if force {
        return Ok(write_file(file, text.as_bytes())?);
    }
    // The file may have been created meanwhile.
    if create_file(file, text).map_err(failed)? { Ok(()) } else { Err(exists(file)) }
}

fn exists(file: &Path) -> Failure {
    let file = file.display();
    Failure::Message(format!("{file} exists; choose another name, or replace it with --force"))
}
