//! `trimtab version`: which version this is, also for machines.

use clap::{ArgMatches, Args, FromArgMatches};
use serde_json::json;

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, VERBS, Verb};
use crate::report;

pub(super) static VERB: Verb = Verb {
    name: "version",
    about: "Say which version this is, and with --json what it can do",
    arguments: Version::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Version {
    /// One JSON object: the version, the verbs, the forms of findings
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shown: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Version::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.shown)?;
    let version = env!("CARGO_PKG_VERSION");
    let text = if arguments.json {
        let json = json!({
            "schema_version": 1,
            "name": "trimtab",
            "version": version,
            "verbs": VERBS.iter().map(|verb| verb.name).collect::<Vec<_>>(),
            "formats": report::FINDING_FORMATS.iter().map(|form| form.name).collect::<Vec<_>>(),
            "schemas": report::SCHEMAS.iter().map(|schema| schema.name).collect::<Vec<_>>(),
        });
        format!("{json:#}\n")
    } else {
        format!("trimtab {version}\n")
    };
    console.write(&text)?;
    console.close()?;
    Ok(Exit::Success)
}
