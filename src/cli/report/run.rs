//! The replays of a page: one of each transcript with each policy, and a second one of the transcripts that are shown in detail.

use std::collections::HashMap;

use trimtab_language::plan::Plan;
use trimtab_model::model::TokenizerError;
use trimtab_recordings::transcript::ReadError;
use trimtab_report::report::{Overview, ReplayResult, SessionDetail, SessionOutcome};
use trimtab_simulate::simulate::{Options, check_counter, replay};

use super::{MAX_TEXT, Report};
use crate::cli::console::{Console, Failure};
use crate::cli::load::Recording;
use crate::cli::recordings::{Done, Item, PlaceInFile, Recordings, Sample};
use crate::cli::replay::{Batch, Inputs, Summarisers};

/// Each plan with the options of its replays.
pub(super) type PolicyOptions<'a> = Vec<(&'a Plan, Options)>;

/// The replays of a page.
pub(super) struct PageRun<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) summarisers: &'a Summarisers,
    pub(super) options: PolicyOptions<'a>,
    pub(super) arguments: &'a Report,
    pub(super) shows_progress: bool,
}

impl PageRun<'_> {
    /// Replays all transcripts in parallel. Returns their figures and where each of them is.
    pub(super) fn overview(
        &self,
        batch: &mut Batch,
        console: &Console,
    ) -> Result<(Overview, Vec<PlaceInFile>), Failure> {
        let mut overview = Overview::new(self.options.len());
        let mut places = Vec::new();
        for (file, error) in self.inputs.unread() {
            fail(batch, file, error.clone(), console);
        }
        self.recordings().each(
            |_, recording| self.outcome(recording),
            |item| {
                match item {
                    Item::Done(done) => take(done, batch, &mut overview, &mut places, console),
                    Item::Panicked { id, message } => {
                        batch.panicked += 1;
                        fail(batch, &id, ReadError::new(message), console);
                    }
                    Item::Unread { file, error } => fail(batch, &file.name, error, console),
                    Item::FileEnd { .. } => {}
                }
                Ok(())
            },
        )?;
        batch.unsupported.lines().for_each(|line| console.error(&line));
        Ok((overview, places))
    }

    /// Replays the transcripts again that are shown in detail.
    pub(super) fn details(&self, overview: &Overview, places: &[PlaceInFile]) -> Result<Vec<SessionDetail>, Failure> {
        let limit = usize::try_from(self.arguments.details).unwrap_or(usize::MAX);
        let chosen = overview.notable(limit);
        let sessions: HashMap<&str, usize> =
            chosen.iter().filter_map(|at| Some((places.get(*at)?.id(), *at))).collect();
        let sample = Sample::of(chosen.iter().filter_map(|at| places.get(*at)));
        let all = self.recordings();
        let recordings = Recordings { paths: &sample.paths, sample: Some(&sample), ..all };
        let mut details = Vec::with_capacity(chosen.len());
        recordings.each(
            |_, recording| sessions.get(recording.id.as_str()).map(|session| self.detail(*session, recording)),
            |item| {
                if let Item::Done(Done { value: Some(detail), .. }) = item {
                    details.push(detail);
                }
                Ok(())
            },
        )?;
        Ok(details)
    }

    fn recordings(&self) -> Recordings<'_> {
        let input = &self.arguments.input;
        self.inputs.recordings(input, input.jobs.count(), false, self.shows_progress)
    }

    /// The figures of a transcript under every policy.
    fn outcome(&self, recording: &Recording) -> Result<Option<SessionOutcome>, TokenizerError> {
        let replays: Result<Vec<ReplayResult>, TokenizerError> = self
            .options
            .iter()
            .map(|(plan, options)| {
                check_counter(plan, &recording.transcript, options)?;
                Ok(self.replayed(plan, options, recording))
            })
            .collect();
        Ok(SessionOutcome::of(&replays?))
    }

    /// A transcript in detail. The recording is replayed without rules on the host of the first policy.
    fn detail(&self, session: usize, recording: &Recording) -> SessionDetail {
        let texts = self.arguments.with_texts;
        let timeline = Some(if texts { MAX_TEXT } else { 0 });
        let detailed = |options: &Options| Options { timeline, per_call: true, quotes: texts, ..options.clone() };
        let replays: Vec<(&Plan, ReplayResult)> = self
            .options
            .iter()
            .map(|(plan, options)| (*plan, self.replayed(plan, &detailed(options), recording)))
            .collect();
        let agent = self.options.first().map(|(plan, _)| plan.agent.clone()).unwrap_or_default();
        let without_rules = Plan { agent, ..Plan::without_rules() };
        let options = self.options.first().map(|(_, options)| detailed(options)).unwrap_or_default();
        let recorded = self.replayed(&without_rules, &options, recording);
        SessionDetail::of(session, &recorded, replays.iter().map(|(plan, replay)| (*plan, replay)))
    }

    fn replayed(&self, plan: &Plan, options: &Options, recording: &Recording) -> ReplayResult {
        let mut summariser = (self.summarisers)();
        let trace = replay(plan, &recording.transcript, options, summariser.as_mut(), &mut |_| {});
        ReplayResult { file: String::new(), id: recording.id.clone(), trace, assertions: Vec::new() }
    }
}

/// Adds the figures of a transcript.
fn take(
    done: Done<Result<Option<SessionOutcome>, TokenizerError>>,
    batch: &mut Batch,
    overview: &mut Overview,
    places: &mut Vec<PlaceInFile>,
    console: &Console,
) {
    let place = done.place();
    match done.value {
        Ok(Some(outcome)) => {
            batch.replayed += 1;
            batch.has_findings |= outcome.has_findings();
            overview.add(done.id, outcome);
            places.push(place);
        }
        Ok(None) => {}
        Err(error) => {
            let error = ReadError::new(error.to_string());
            fail(batch, &done.id, error, console);
        }
    }
}

fn fail(batch: &mut Batch, file: &str, error: ReadError, console: &Console) {
    if let Some(message) = batch.fail(file, error) {
        console.error(&message);
    }
}
