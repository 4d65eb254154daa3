//! The file of `--events`.

use std::io::Write;
use std::path::Path;

use trimtab_report::report::{self, Encoding, ReplayResult};

use super::stream::Stream;
use crate::cli::console::Failure;

/// The file to which the events of all recordings are written, in the order of the input.
pub(super) struct EventsFile(Option<Stream>);

impl EventsFile {
    /// Creates the file, if there is to be one.
    pub(super) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        path.map(Stream::create).transpose().map(Self)
    }

    /// Writes the events of a replay, and removes them from the result, which stays in memory.
    pub(super) fn write(&mut self, replay: &mut ReplayResult) -> Result<(), Failure> {
        for event in std::mem::take(&mut replay.trace.events) {
            if let Some(file) = &mut self.0 {
                let line = Encoding::Json.finish(report::event_json(&replay.id, &event).to_string());
                writeln!(file, "{line}")?;
            }
        }
        Ok(())
    }

    /// Ends the file.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.0.map_or(Ok(()), Stream::commit)
    }
}
