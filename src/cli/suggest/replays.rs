//! Passes over the recordings: what they hold, and what policies would have done.

use trimtab_analysis::recording::{Observations, SimulatedPolicy, SuggestedRule, policy_text};
use trimtab_base::source::NoSources;
use trimtab_language::plan::{self, Plan};
use trimtab_model::model::TokenizerError;
use trimtab_recordings::transcript::ReadError;
use trimtab_report::report::ReplayError;
use trimtab_simulate::simulate::{Extract, Options, check_counter, replay};

use crate::cli::console::{Console, Failure};
use crate::cli::load::Recording;
use crate::cli::project::Project;
use crate::cli::recordings::{Done, Item, Recordings, shows_progress};
use crate::cli::replay::{InputArguments, Inputs};
use crate::cli::unsupported::UnsupportedFiles;
use crate::pipeline;

/// The recordings, and how they are replayed.
pub(super) struct Replays<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) arguments: &'a InputArguments,
    pub(super) options: Options,
    pub(super) project: &'a Project,
    /// The name of the policy.
    pub(super) name: &'a str,
}

/// What the recordings hold.
#[derive(Default)]
pub(super) struct Observed {
    pub(super) sums: Observations,
    /// The recordings that could not be read.
    pub(super) errors: Vec<ReplayError>,
    /// How many of the errors are panics.
    pub(super) panicked: usize,
    /// How many files could not be read.
    pub(super) unread: usize,
}

impl Replays<'_> {
    /// Reads all recordings and adds up what they hold. Those that cannot be read are reported.
    pub(super) fn observe(&self, console: &Console) -> Result<Observed, Failure> {
        let plan = Plan { agent: self.project.agent(), ..Plan::without_rules() };
        let (mut observed, mut unsupported) = (Observed::default(), UnsupportedFiles::default());
        let mut fail = |observed: &mut Observed, file: &str, error: ReadError| {
            let message = error.message.clone();
            observed.errors.push(ReplayError { file: file.to_owned(), message, line: error.line });
            match error.unsupported {
                Some(kind) => unsupported.add(kind, file.to_owned(), error.message),
                None => console.error(&format!("error: {file}: {}", error.message)),
            }
        };
        for (file, error) in self.inputs.unread() {
            observed.unread += 1;
            fail(&mut observed, file, error.clone());
        }
        self.recordings(console).each(
            |_, recording| {
                check_counter(&plan, &recording.transcript, &self.options)?;
                Ok(Observations::of(&plan, &recording.transcript, &self.options))
            },
            |item: Item<Result<Observations, TokenizerError>>| {
                match item {
                    Item::Done(Done { value: Ok(one), .. }) => observed.sums += one,
                    Item::Done(Done { id, value: Err(error), .. }) => {
                        fail(&mut observed, &id, ReadError::new(error.to_string()));
                    }
                    Item::Panicked { id, message } => {
                        observed.panicked += 1;
                        fail(&mut observed, &id, ReadError::new(message));
                    }
                    Item::Unread { file, error } => {
                        observed.unread += 1;
                        fail(&mut observed, &file.name, error);
                    }
                    Item::FileEnd { .. } => {}
                }
                Ok(())
            },
        )?;
        unsupported.lines().for_each(|line| console.error(&line));
        Ok(observed)
    }

    /// What each policy would have done on all recordings.
    pub(super) fn simulate(&self, texts: &[String], console: &Console) -> Result<Vec<SimulatedPolicy>, Failure> {
        let plans = texts.iter().map(|text| self.plan(text)).collect::<Result<Vec<_>, _>>()?;
        let mut sums = vec![SimulatedPolicy::default(); plans.len()];
        self.recordings(console).each(
            |_, recording| plans.iter().map(|plan| self.simulated(plan, recording)).collect::<Option<Vec<_>>>(),
            |item| match item {
                Item::Done(Done { value: Some(all), .. }) => {
                    for (sum, one) in sums.iter_mut().zip(all) {
                        sum.add(one);
                    }
                    Ok(())
                }
                Item::Panicked { id, message } => Err(Failure::Message(format!("{id}: {message}"))),
                // Reported when the recordings were observed.
                Item::Done(_) | Item::Unread { .. } | Item::FileEnd { .. } => Ok(()),
            },
        )?;
        Ok(sums)
    }

    /// The text of a policy of these rules.
    pub(super) fn text(&self, comments: &[String], rules: &[SuggestedRule<'_>]) -> String {
        policy_text(self.name, comments, rules)
    }

    /// The plan of a policy, as `simulate` gets it from the file.
    fn plan(&self, text: &str) -> Result<Plan, Failure> {
        let mut compiled = pipeline::compile_with("suggested.trim", text, &mut NoSources);
        self.project.apply_profile(&mut compiled.checked);
        let checked = compiled.checked.ok_or_else(|| {
            let reason = compiled.diagnostics.first().map(|one| one.message.clone()).unwrap_or_default();
            format!("internal error: a suggested policy does not compile: {reason}; please report it")
        })?;
        plan::lower(&checked, None).map_err(|_| "internal error: a suggested policy has no rules".to_owned().into())
    }

    /// Returns what a policy would have done in one recording, or `None` if its tokens cannot be counted.
    fn simulated(&self, plan: &Plan, recording: &Recording) -> Option<SimulatedPolicy> {
        check_counter(plan, &recording.transcript, &self.options).ok()?;
        let trace = replay(plan, &recording.transcript, &self.options, &mut Extract, &mut |_| {});
        Some(SimulatedPolicy::of(&trace))
    }

    fn recordings(&self, console: &Console) -> Recordings<'_> {
        self.inputs.recordings(self.arguments, self.arguments.jobs.count(), false, shows_progress(console, false))
    }
}
