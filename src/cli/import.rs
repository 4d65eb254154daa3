//! `trimtab import`: settings or a policy of another system as policy text.

mod effects;
mod settings;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::system::{self, Recognition, SYSTEMS};
use trimtab_base::source::{Source, SourceFormat, SourceId};
use trimtab_report::report::{LISTING_FORMATS, ListingFormat};

use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand, input};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "import",
    about: "Convert the settings of an agent, or a YAML list of effects, to a policy file",
    arguments: Import::augment_args,
    run,
};

/// The name of the format of lists of effects.
const EFFECTS: &str = "effects-yaml";

#[derive(Args, Debug)]
struct Import {
    /// A settings file in JSON, TOML or YAML; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The system whose settings the file has [default: recognised by its content and name]
    #[arg(long, value_name = "NAME", value_parser = systems())]
    from: Option<String>,
    /// Exit with 1 if an option is not exact, or is unknown
    #[arg(long)]
    strict: bool,
    /// Print what each option became and the policy in this format [default: the policy, and the table to standard error]
    #[arg(long, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: Option<&'static ListingFormat>,
    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    output_options: OutputArguments,
}

/// The names of the systems, as `--help` lists them.
fn systems() -> PossibleValuesParser {
    let effects = PossibleValue::new(EFFECTS).help("A list of effects in YAML");
    let system = |system: &&'static system::System| {
        PossibleValue::new(system.name).help(format!("{}: {}", system.title, system.file))
    };
    PossibleValuesParser::new(std::iter::once(effects).chain(SYSTEMS.iter().map(system)))
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Import::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let target = arguments.output_options.file();
    if let Some(path) = target.filter(|path| !arguments.force && path.exists()) {
        return Err(format!("{} exists (--force replaces it)", path.display()).into());
    }
    if !arguments.force {
        console.keep_existing();
    }
    let name = input::display_name(&arguments.file, Some("stdin"));
    let text = input::read_text(&arguments.file).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    match arguments.system(&name, &text)? {
        Some(system) => settings::import(&arguments, system, &name, &text, console),
        None => effects::import(&name, &text, console),
    }
}

impl Import {
    /// Returns the system whose settings the file has, or `None` for a list of effects.
    fn system(&self, name: &str, text: &str) -> Result<Option<&'static system::System>, Failure> {
        if let Some(name) = &self.from {
            return Ok(system::find(name));
        }
        match system::recognise(&Source::new(SourceId::default(), name, text)) {
            Recognition::Of(system) => Ok(Some(system)),
            _ if SourceFormat::from_name(name) == SourceFormat::Yaml || name == "stdin" => Ok(None),
            Recognition::Unreadable(errors) => {
                let reasons: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
                Err(format!("{name}: {}", reasons.join("; ")).into())
            }
            Recognition::Ambiguous(systems) => {
                let names: Vec<&str> = systems.iter().map(|system| system.name).collect();
                Err(format!("{name} may have the settings of {}; name the system with --from", names.join(" or "))
                    .into())
            }
            Recognition::Unknown => {
                let names: Vec<&str> = SYSTEMS.iter().map(|system| system.name).collect();
                let reason = "is not recognised as the settings of a known system";
                Err(format!("{name} {reason}; name the system with --from: {}, {EFFECTS}", names.join(", ")).into())
            }
        }
    }
}
