//! `trimtab schema`: the JSON Schemas of the machine forms.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{ArgMatches, Args, FromArgMatches};

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Verb};
use crate::report::{self, SCHEMAS};

pub(super) static VERB: Verb =
    Verb { name: "schema", about: "Print the JSON Schema of a machine form", arguments: Schema::augment_args, run };

#[derive(Args, Debug)]
struct Schema {
    /// The machine form
    #[arg(value_name = "NAME", value_parser = names())]
    name: String,
    #[command(flatten)]
    shown: OutputArguments,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SCHEMAS.iter().map(|schema| PossibleValue::new(schema.name).help(schema.summary)))
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Schema::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.shown)?;
    let schema = report::schema(&arguments.name).ok_or_else(|| format!("there is no schema `{}`", arguments.name))?;
    console.write(&format!("{:#}\n", (schema.json)()))?;
    console.close()?;
    Ok(Exit::Success)
}
