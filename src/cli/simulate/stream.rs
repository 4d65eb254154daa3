//! Files to which results are written while recordings are replayed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::cli::console::Failure;

/// A file, or standard output.
pub(super) type Stream = BufWriter<Box<dyn Write + Send>>;

/// Whether a path means standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Creates a file.
pub(super) fn create(path: &Path) -> Result<Stream, Failure> {
    if is_stdout(path) {
        return Ok(BufWriter::new(Box::new(io::stdout())));
    }
    let file = File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(BufWriter::new(Box::new(file)))
}

/// Why contexts or events cannot be written.
pub(super) fn failure(what: &str, error: io::Error) -> Failure {
    match Failure::from(error) {
        Failure::OutputClosed => Failure::OutputClosed,
        Failure::Message(reason) => Failure::Message(format!("cannot write {what}: {reason}")),
    }
}
