//! Files to which results are written while recordings are replayed.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::cli::console::Failure;
use crate::host::file::FileId;
use crate::host::output::OutputFile;

/// A file that is complete when it is committed, or standard output.
pub(super) enum Stream {
    Stdout(BufWriter<io::Stdout>),
    File(OutputFile),
}

/// Whether a path means standard output, also by a name such as `/dev/stdout`.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-" || FileId::at(path).is_ok_and(|id| FileId::of_stdout() == Some(id))
}

impl Stream {
    /// Begins a file.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        if is_stdout(path) {
            return Ok(Self::Stdout(BufWriter::new(io::stdout())));
        }
        Ok(Self::File(OutputFile::create(path)?))
    }

    /// Gives a complete file its name.
    pub(super) fn commit(self) -> Result<(), Failure> {
        match self {
            Self::Stdout(mut out) => Ok(out.flush()?),
            Self::File(file) => Ok(file.commit()?),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(file) => file.flush(),
        }
    }
}
