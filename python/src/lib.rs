//! The compiled part of the Python package: what the package `trimtab` in `trimtab/` wraps.
//!
//! Results are JSON texts, as the command prints them; the package turns them into plain data. Work releases the GIL.

#![expect(clippy::needless_pass_by_value, reason = "what Python passes is converted into values")]

mod error;
mod file;
mod plan;
mod recording;
mod session;
mod step;
mod values;

use pyo3::prelude::*;

#[pymodule]
mod _trimtab {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use super::error::{PolicyError, RequestError, RestoreError};
    #[pymodule_export]
    use super::file::{PolicyFile, compile, compile_file, format};
    #[pymodule_export]
    use super::plan::Plan;
    #[pymodule_export]
    use super::recording::{Transcript, read_transcripts};
    #[pymodule_export]
    use super::session::Session;
    #[pymodule_export]
    use super::step::{Call, Edit, Failure, Firing, Handle, Prepared, Step, Summary};

    /// Runs the command with these arguments, of which the first is its name. Returns its exit code.
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| trimtab::command_line_status(arguments))
    }
}
