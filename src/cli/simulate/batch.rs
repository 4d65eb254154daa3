//! The results of all recordings.

use crate::cli::unsupported::UnsupportedFiles;
use crate::report::{ReplayError, ReplayResult};
use crate::transcript::ReadError;

/// Replays and errors, in input order.
#[derive(Default)]
pub(super) struct Batch {
    /// The replays, unless they have been written meanwhile.
    pub(super) replays: Vec<ReplayResult>,
    /// How many transcripts were replayed.
    pub(super) replayed: usize,
    pub(super) errors: Vec<ReplayError>,
    /// Unsupported files, which are printed at the end.
    pub(super) unsupported: UnsupportedFiles,
    /// How many of the errors are panics.
    pub(super) panicked: usize,
    /// Whether an invariant was broken or an assertion did not hold.
    pub(super) has_findings: bool,
}

impl Batch {
    /// Adds a replay. `condenses`: single calls are forgotten if there are several transcripts.
    pub(super) fn add(&mut self, mut replay: ReplayResult, is_written: bool, condenses: bool) {
        self.replayed += 1;
        let is_denied = replay.assertions.iter().any(|assertion| !assertion.verdict.is_met);
        self.has_findings |= is_denied || !replay.trace.invariants.broken.is_empty();
        if is_written {
            return;
        }
        if let [first] = self.replays.as_mut_slice()
            && condenses
        {
            first.trace.condense();
        }
        if condenses && !self.replays.is_empty() {
            replay.trace.condense();
        }
        self.replays.push(replay);
    }

    /// Adds an error. Returns the message that is printed at once.
    pub(super) fn fail(&mut self, file: &str, error: ReadError) -> Option<String> {
        let message = error.message.clone();
        self.errors.push(ReplayError { file: file.to_owned(), message, line: error.line });
        match error.unsupported {
            Some(kind) => {
                self.unsupported.add(kind, file.to_owned(), error.message);
                None
            }
            None => Some(format!("error: {file}: {}", error.message)),
        }
    }

    /// How many files could not be read.
    pub(super) fn unread(&self) -> usize {
        self.errors.len() - self.panicked
    }
}
