//! The outcomes of all transcripts under all plans.

use std::sync::OnceLock;

use rayon::prelude::*;
use trimtab_analysis::sweep::{Observation, Outcome, Split};
use trimtab_analysis::test::Observer;
use trimtab_base::quantity::Decimal;
use trimtab_language::check::Expectation;
use trimtab_language::plan::Plan;
use trimtab_report::report::ReplayError;
use trimtab_simulate::simulate::{Basis, Options, check_counter, replay_on};

use super::combination::Combinations;
use super::resume::FinishedReplays;
use crate::cli::Exit;
use crate::cli::console::{Console, Failure};
use crate::cli::isolated::isolated;
use crate::cli::load::Recording;
use crate::cli::recordings::{Done, Item, Recordings};
use crate::cli::replay::Summarisers;

/// How every transcript is replayed.
pub(super) struct Replays<'a> {
    pub(super) plans: &'a [Plan],
    pub(super) options: Options,
    pub(super) expectations: &'a [Expectation],
    /// The share of the axis `calls-above`.
    pub(super) above: Decimal,
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

impl Replays<'_> {
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
    fn of_transcript(&self, recording: &Recording) -> Result<Vec<Outcome>, String> {
        let basis = OnceLock::new();
        let outcome = |(at, plan): (usize, &Plan)| match self.finished {
            None => self.outcome(plan, recording, &basis),
            Some(finished) => match finished.outcome(&recording.id, at) {
                Some(outcome) => Ok(outcome.clone()),
                None => {
                    self.outcome(plan, recording, &basis).inspect(|outcome| finished.keep(&recording.id, at, outcome))
                }
            },
        };
        self.plans.par_iter().enumerate().map(outcome).collect::<Vec<_>>().into_iter().collect()
    }

    /// The outcome under a plan. `shared` is the basis of the first plan, which measures all texts of the transcript.
    fn outcome(&self, plan: &Plan, recording: &Recording, shared: &OnceLock<Basis>) -> Result<Outcome, String> {
        let transcript = &recording.transcript;
        check_counter(plan, transcript, &self.options).map_err(|error| error.to_string())?;
        isolated(|| {
            let own;
            let first = self.plans.first().filter(|first| Basis::is_shared(first, plan, transcript));
            let basis = if let Some(first) = first {
                shared.get_or_init(|| Basis::of(first, transcript, &self.options))
            } else {
                own = Basis::of(plan, transcript, &self.options);
                &own
            };
            let mut summariser = (self.summarisers)();
            let mut observer = Observer::new(self.expectations);
            let options = observer.options(self.options.clone());
            let trace = replay_on(basis, plan, transcript, &options, summariser.as_mut(), &mut |sent| {
                observer.record(sent);
            });
            let verdicts = observer.judge(&trace).into_iter().enumerate();
            let unmet = verdicts.filter(|(_, verdict)| !verdict.is_met).map(|(constraint, _)| constraint);
            Outcome::of(&trace, self.above, unmet.collect())
        })
    }
}

impl Outcomes {
    fn fail(&mut self, file: String, message: String, line: Option<usize>, console: &Console) {
        console.error(&format!("error: {file}: {message}"));
        self.errors.push(ReplayError { file, message, line });
    }

    /// How the verb ends, if it would end with `exit` without errors and these transcripts were replayed.
    pub(super) fn exit(&self, exit: Exit, replayed: usize, files: usize, is_strict: bool) -> Result<Exit, Failure> {
        let (failed, has_panicked) = (self.errors.len(), self.errors.len() > self.unread);
        if has_panicked || failed > 0 && (is_strict || replayed == 0) {
            let files = files.max(replayed + failed);
            return Err(Failure::Message(format!("{failed} of {files} recordings could not be replayed")));
        }
        Ok(exit)
    }
}
