//! `trimtab calibrate`: compares replays without a policy with what was recorded.

use std::collections::BTreeMap;

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use smol_str::SmolStr;
use trimtab_language::plan::Plan;
use trimtab_model::model::{Tokenizer, TokenizerError};
use trimtab_recordings::transcript::Transcript;
use trimtab_report::report::{self, AccuracyGroup, LISTING_FORMATS, ListingFormat};
use trimtab_simulate::simulate::{Accuracy, FailingSummariser, Options, Tokens, imitations, replay};

use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::model::check_model;
use super::project::ProjectArguments;
use super::recordings::Done;
use super::transcript::inputs::{Found, Inputs};
use super::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "calibrate",
    about: "Measure the accuracy of simulations on recordings with usage",
    arguments: Calibrate::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Calibrate {
    #[command(flatten)]
    inputs: Inputs,
    /// The model, for counting and prices [default: that of each recording]
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// The counter whose predictions are compared
    #[arg(long, value_enum, value_name = "COUNTER", default_value = "estimate")]
    tokens: Counter,
    /// Also predict the calls after each recorded compaction and clearing, without their usage, and compare
    #[arg(long)]
    verdicts: bool,
    /// The output format
    #[arg(long, default_value = LISTING_FORMATS[0].name, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ListingFormat,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Counter {
    /// Characters by kind
    Estimate,
    /// The tokenizer of the model where it is published, else the estimate; in builds with the feature `exact`
    Exact,
}

/// The model and the format of recordings.
type Kind = (Option<SmolStr>, &'static str);

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Calibrate::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    if arguments.tokens == Counter::Exact && !Tokenizer::is_in_build() {
        return Err(TokenizerError::NotInBuild.to_string().into());
    }
    let project = arguments.project.open(arguments.inputs.paths(), &console)?;
    check_model(arguments.model.as_deref(), &project.config.models)?;
    let plan = Plan { agent: project.agent(), ..Plan::without_rules() };
    let mut groups = BTreeMap::<Kind, Accuracy>::new();
    let outcome = arguments.inputs.each_transcript(
        &mut console,
        false,
        |recording| arguments.measure(&plan, &recording.transcript),
        |_, found| {
            if let Found::Transcript(Done { value: Some((kind, accuracy)), .. }) = found {
                groups.entry(kind).or_default().merge(accuracy);
            }
            Ok(())
        },
    )?;
    let groups: Vec<AccuracyGroup> =
        groups.into_iter().map(|((model, format), accuracy)| AccuracyGroup { model, format, accuracy }).collect();
    let listing = report::accuracy(&groups, &outcome.errors);
    console.write(arguments.format.render(&listing, console.style))?;
    console.close_with(outcome.exit())
}

impl Calibrate {
    /// The errors of a replay of a transcript, if it has usage.
    fn measure(&self, plan: &Plan, transcript: &Transcript) -> Option<(Kind, Accuracy)> {
        let tokens = if self.tokens == Counter::Exact { Tokens::Exact } else { Tokens::Best };
        let options = Options { tokens, model: self.model.clone(), ..Options::default() };
        let trace = replay(plan, transcript, &options, &mut FailingSummariser, &mut |_| {});
        let kind = (trace.model.clone(), trace.format);
        if trace.predictions.is_empty() {
            return None;
        }
        let mut accuracy = Accuracy::of(&trace);
        if self.verdicts {
            for imitation in &imitations(plan, transcript, &options) {
                accuracy.add_imitation(imitation);
            }
        }
        Some((kind, accuracy))
    }
}
