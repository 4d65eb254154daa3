//! `trimtab compare-arms`: what an experiment of `trimtab run --split` or `trimtab proxy --split` says.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::experiment::{ARM_MEASURES, Arm, ArmComparison, ArmMeasure, Outcomes, UnitFigures};
use trimtab_base::quantity::Decimal;
use trimtab_report::report::{self, LISTING_FORMATS, ListingFormat};

use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::prices::PriceArguments;
use super::project::ProjectArguments;
use super::recordings::{Done, Jobs};
use super::transcript::inputs::{Found, Inputs};
use super::{Exit, Subcommand, input};
use crate::host::ExperimentFile;

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "compare-arms",
    about: "Compare the policies of an experiment on the recordings of agents that ran under them",
    arguments: CompareArms::augment_args,
    run,
};

#[derive(Args, Debug)]
#[command(after_help = "The first policy of the experiment is the one that the others are compared with.")]
struct CompareArms {
    /// The directory of --record of `trimtab run --split` or `trimtab proxy --split`
    #[arg(value_name = "DIR")]
    experiment: PathBuf,
    /// The measure that decides
    #[arg(long, default_value = ARM_MEASURES[0].name, value_parser = choice(&ARM_MEASURES, |measure| (measure.name, measure.summary)))]
    measure: &'static ArmMeasure,
    /// The difference of means that is too small to matter, such as 5%
    #[arg(long, value_name = "PERCENT", default_value = "10%", value_parser = percentage)]
    margin: f64,
    /// A JSON object with a number for each unit, by the name of its directory, such as 1 for a task that was solved
    #[arg(long, value_name = "FILE")]
    outcomes: Option<PathBuf>,
    /// Fail if any recording cannot be read
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    prices: PriceArguments,
    /// The output format
    #[arg(long, default_value = LISTING_FORMATS[0].name, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ListingFormat,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = CompareArms::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let folder = arguments.experiment.as_path();
    let experiment = ExperimentFile::read(folder).map_err(|error| {
        let hint = "expected the directory of --record of `trimtab run --split` or `trimtab proxy --split`";
        Failure::Message(format!("{}: no experiment is recorded here ({error}); {hint}", folder.display()))
    })?;
    let outcomes = arguments.outcomes.as_deref().map(outcomes).transpose()?.unwrap_or_default();
    let models = arguments.prices.of(&ProjectArguments::default().open(&[], &console)?.config.models);
    let mut units: BTreeMap<(String, String), UnitFigures> = BTreeMap::new();
    let inputs = Inputs::in_folder(folder, arguments.jobs, arguments.strict);
    let outcome = inputs.each_transcript(
        &mut console,
        false,
        |recording| UnitFigures::of(&recording.id, &recording.transcript, &models),
        |_, found| {
            if let Found::Transcript(Done { file, value, .. }) = found
                && let Some(place) = place(folder, Path::new(&file.name))
            {
                units.entry(place).or_default().add(value);
            }
            Ok(())
        },
    )?;
    let mut arms: Vec<Arm> =
        experiment.arms.into_iter().map(|arm| Arm { name: arm.name, units: BTreeMap::new() }).collect();
    for ((arm, unit), figures) in units {
        if let Some(arm) = arms.iter_mut().find(|known| known.name == arm) {
            arm.units.insert(unit, figures);
        }
    }
    let comparison = ArmComparison::of(&arms, &outcomes, arguments.margin);
    let listing = report::arms(&comparison, arguments.measure.name, arguments.margin, &outcome.errors);
    console.write(arguments.format.render(&listing, console.style))?;
    console.close_with(outcome.exit())
}

/// The arm and the unit of a recording, which are the names of the directories that it is in.
fn place(folder: &Path, file: &Path) -> Option<(String, String)> {
    let mut names = file.strip_prefix(folder).ok()?.components().map(|component| match component {
        Component::Normal(name) => name.to_str().map(str::to_owned),
        _ => None,
    });
    Some((names.next()??, names.next()??)).filter(|_| names.next().is_some())
}

fn percentage(text: &str) -> Result<f64, String> {
    let share: Option<Decimal> = text.trim().strip_suffix('%').and_then(|number| number.trim().parse().ok());
    let share = share.filter(|share| share.is_sign_positive() && *share <= Decimal::ONE_HUNDRED);
    let share = share.and_then(|share| f64::try_from(share / Decimal::ONE_HUNDRED).ok());
    share.ok_or_else(|| "expected a percentage up to 100%, such as 5%".to_owned())
}

/// The outcomes in a file.
fn outcomes(path: &Path) -> Result<Outcomes, Failure> {
    let text = input::read_text(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let expected = "expected a JSON object with a number for each unit, such as {\"1f0c…\": 1}";
    serde_json::from_str(&text).map_err(|error| Failure::Message(format!("{}: {expected}; {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_in_the_folders_of_its_arm_and_its_unit() {
        let place = |file: &str| place(Path::new("runs"), Path::new(file));
        assert_eq!(place("runs/tidy/u1/a.jsonl"), Some(("tidy".to_owned(), "u1".to_owned())));
        assert_eq!(place("runs/tidy/a.jsonl"), None);
        assert_eq!(place("other/tidy/u1/a.jsonl"), None);
    }

    #[test]
    fn a_margin_is_a_percentage() {
        assert_eq!(percentage("5 %"), Ok(0.05));
        assert!(["5", "-1%", "101%", "%"].into_iter().all(|text| percentage(text).is_err()));
    }
}
