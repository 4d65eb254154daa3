//! The outcomes of all transcripts under all plans.

use std::sync::OnceLock;

use rayon::prelude::*;
use trimtab_analysis::sweep::{Observation, Split, TranscriptOutcome};
use trimtab_language::plan::Plan;
use trimtab_report::report::ReplayError;
use trimtab_simulate::simulate::{ReplayInputs, check_counter};

use super::resume::FinishedReplays;
use crate::cli::Exit;
use crate::cli::console::{Console, Failure};
use crate::cli::isolated::isolated;
use crate::cli::load::Recording;
use crate::cli::recordings::{Done, Item, Recordings};
use crate::cli::replay::Summarisers;
use crate::pipeline::sweep::{Combinations, Replays};

/// The replays of all transcripts.
pub(super) struct AllReplays<'a> {
    pub(super) replays: Replays<'a>,
    pub(super) summarisers: &'a Summarisers,
    /// The replays that an earlier run has finished, and where this one keeps its own.
    pub(super) finished: Option<&'a FinishedReplays>,
}

/// The outcomes of the transcripts that could be replayed.
#[derive(Default)]
pub(super) struct Outcomes {
    pub(super) observations: Vec<Observation>,
    pub(super) errors: Vec<ReplayError>,
    /// How many of the errors are files that cannot be read.
    pub(super) unread: usize,
}

impl AllReplays<'_> {
    /// Replays all transcripts with all plans.
    ///
    /// Each transcript is read once. Its replays are spread over as many threads as recordings are read by, so that a single
    /// large transcript uses all of them.
    pub(super) fn all(
        &self,
        recordings: &Recordings<'_>,
        split: Split,
        combinations: &Combinations,
        console: &Console,
    ) -> Result<Outcomes, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(recordings.jobs).build();
        let pool = pool.map_err(|error| format!("cannot start threads: {error}"))?;
        let mut all = Outcomes::default();
        recordings.each(
            |_, recording| pool.install(|| self.of_transcript(recording)),
            |item| {
                match item {
                    Item::Done(Done { id, value: Ok(outcomes), .. }) => {
                        let (half, outcomes) = (split.half(&id), combinations.of_plans(&outcomes));
                        console.detail(&format!("{id}: {}", half.name()));
                        all.observations.push(Observation { half, outcomes });
                    }
                    Item::Done(Done { id, value: Err(message), .. }) | Item::Panicked { id, message } => {
                        all.fail(id, message, None, console);
                    }
                    Item::Unread { file, error } => {
                        all.unread += 1;
                        all.fail(file.name.clone(), error.message, error.line, console);
                    }
                    Item::FileEnd { .. } => {}
                }
                self.finished.map_or(Ok(()), FinishedReplays::check)
            },
        )?;
        Ok(all)
    }

    /// The outcome under each plan.
    fn of_transcript(&self, recording: &Recording) -> Result<Vec<TranscriptOutcome>, String> {
        let inputs = OnceLock::new();
        let outcome = |(at, plan): (usize, &Plan)| match self.finished {
            None => self.outcome(plan, recording, &inputs),
            Some(finished) => match finished.outcome(&recording.id, at) {
                Some(outcome) => Ok(outcome.clone()),
                None => {
                    self.outcome(plan, recording, &inputs).inspect(|outcome| finished.keep(&recording.id, at, outcome))
                }
            },
        };
        self.replays.plans.par_iter().enumerate().map(outcome).collect::<Vec<_>>().into_iter().collect()
    }

    /// The outcome under a plan. `shared` holds the inputs of the first plan.
    fn outcome(
        &self,
        plan: &Plan,
        recording: &Recording,
        shared: &OnceLock<ReplayInputs>,
    ) -> Result<TranscriptOutcome, String> {
        let transcript = &recording.transcript;
        check_counter(plan, transcript, self.replays.options).map_err(|error| error.to_string())?;
        isolated(|| self.replays.outcome(plan, transcript, shared, (self.summarisers)().as_mut()))
    }
}

impl Outcomes {
    fn fail(&mut self, file: String, message: String, line: Option<usize>, console: &Console) {
        console.error(&format!("error: {file}: {message}"));
        self.errors.push(ReplayError { file, message, line });
    }

    /// How the subcommand ends, if it would end with `exit` without errors and these transcripts were replayed.
    pub(super) fn exit(&self, exit: Exit, replayed: usize, files: usize, is_strict: bool) -> Result<Exit, Failure> {
        let (failed, has_panicked) = (self.errors.len(), self.errors.len() > self.unread);
        if has_panicked || failed > 0 && (is_strict || replayed == 0) {
            let files = files.max(replayed + failed);
            return Err(Failure::Message(format!("{failed} of {files} recordings could not be replayed")));
        }
        Ok(exit)
    }
}
