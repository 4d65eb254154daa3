//! `trimtab version`: the version, also for machines.

use clap::{ArgMatches, Args, FromArgMatches};
use serde_json::json;
use trimtab_report::report::{self, Encoding, Rendered};

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, SUBCOMMANDS, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "version",
    about: "Print the version, and with --json the commands, formats and schemas",
    arguments: Version::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Version {
    /// Print one JSON object: the version, the commands, the output formats of findings, the schemas
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Version::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let version = env!("CARGO_PKG_VERSION");
    let text = if arguments.json {
        let json = json!({
            "schema_version": 1,
            "name": "trimtab",
            "version": version,
            "verbs": SUBCOMMANDS.iter().map(|one| one.name).collect::<Vec<_>>(),
            "formats": report::FINDING_FORMATS.iter().map(|form| form.name).collect::<Vec<_>>(),
            "schemas": report::SCHEMAS.iter().map(|schema| schema.name).collect::<Vec<_>>(),
        });
        Encoding::Json.finish(format!("{json:#}\n"))
    } else {
        Rendered::from(&format!("trimtab {version}\n"))
    };
    console.write(text)?;
    console.close()?;
    Ok(Exit::Success)
}
