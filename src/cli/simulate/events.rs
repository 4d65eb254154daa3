//! The file of `--events`.

use std::io::Write;
use std::path::Path;

use super::batch::Batch;
use super::stream::{Stream, create, failure};
use crate::cli::console::Failure;
use crate::report;

/// The file to which the events of all recordings are written, in the order of the input.
pub(super) struct EventsFile(Option<Stream>);

impl EventsFile {
    /// Creates the file, if there is to be one.
    pub(super) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        path.map(create).transpose().map(Self)
    }

    /// Writes the events of the recordings of a file, and removes them from the results, which stay in memory.
    pub(super) fn write(&mut self, batch: &mut Batch) -> Result<(), Failure> {
        for replay in &mut batch.replays {
            for event in std::mem::take(&mut replay.trace.events) {
                if let Some(file) = &mut self.0 {
                    writeln!(file, "{}", report::event_json(&replay.id, &event))
                        .map_err(|error| failure("events", error))?;
                }
            }
        }
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.0.map_or(Ok(()), |mut file| file.flush()).map_err(|error| failure("events", error))
    }
}
