//! The results of all recordings.

use trimtab_recordings::transcript::ReadError;
use trimtab_report::report::{ReplayError, ReplayResult, SummedAssertion};

use crate::cli::Exit;
use crate::cli::console::Failure;
use crate::cli::unsupported::UnsupportedFiles;

/// Replays and errors, in input order.
#[derive(Default)]
pub(in super::super) struct Batch {
    /// The replays, unless they have been written meanwhile.
    pub(in super::super) replays: Vec<ReplayResult>,
    /// How many transcripts were replayed.
    pub(in super::super) replayed: usize,
    pub(in super::super) errors: Vec<ReplayError>,
    /// Unsupported files, which are printed at the end.
    pub(in super::super) unsupported: UnsupportedFiles,
    /// The assertions on the totals of all replays.
    pub(in super::super) summed: Vec<SummedAssertion>,
    /// How many of the errors are panics.
    pub(in super::super) panicked: usize,
    /// Whether an invariant was broken or an assertion on a replay did not hold.
    pub(in super::super) has_findings: bool,
}

impl Batch {
    /// Adds a replay. `condenses`: single calls are forgotten if there are several transcripts.
    pub(in super::super) fn add(&mut self, mut replay: ReplayResult, is_written: bool, condenses: bool) {
        self.replayed += 1;
        self.summed.iter_mut().for_each(|assertion| assertion.sum.add(&replay.trace));
        let is_denied = replay.assertions.iter().any(|assertion| !assertion.verdict.is_met);
        self.has_findings |= is_denied || !replay.trace.invariants.broken.is_empty();
        if is_written {
            return;
        }
        if let [first] = self.replays.as_mut_slice()
            && condenses
        {
            first.trace.drop_call_details();
        }
        if condenses && !self.replays.is_empty() {
            replay.trace.drop_call_details();
        }
        self.replays.push(replay);
    }

    /// Adds an error. Returns the message that is printed at once.
    pub(in super::super) fn fail(&mut self, file: &str, error: ReadError) -> Option<String> {
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

    /// Whether an invariant was broken or an assertion does not hold.
    fn is_denied(&self) -> bool {
        self.has_findings || self.summed.iter().any(|assertion| !assertion.sum.verdict().is_met)
    }

    /// How many files could not be read.
    pub(in super::super) fn unread(&self) -> usize {
        self.errors.len() - self.panicked
    }
}

/// Whether recordings were replayed, unless there were none.
pub(in super::super) fn has_result(done: &[Batch]) -> bool {
    done.iter().any(|done| done.replayed > 0 || done.errors.is_empty())
}

/// How a subcommand ends that has replayed recordings with some policies.
pub(in super::super) fn exit(done: &[Batch], files: usize, is_strict: bool) -> Result<Exit, Failure> {
    let first = done.first().map_or(&[][..], |done| &done.errors);
    let later = done.iter().skip(1).flat_map(|done| &done.errors).filter(|error| !first.contains(error));
    let errors: Vec<&ReplayError> = first.iter().chain(later).collect();
    let failed = errors.len();
    let is_none_replayed = done.iter().all(|done| done.replayed == 0);
    let panicked = done.iter().any(|done| done.panicked > 0);
    if panicked || failed > 0 && (is_strict || is_none_replayed) {
        let files = files.max(done.first().map_or(0, |done| done.replayed + done.errors.len()));
        return Err(Failure::Message(format!("{failed} of {files} recordings could not be replayed")));
    }
    Ok(if done.iter().any(Batch::is_denied) { Exit::Findings } else { Exit::Success })
}
