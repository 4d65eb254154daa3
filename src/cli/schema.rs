//! `trimtab schema`: the JSON Schemas of machine-readable output and of the settings.

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_report::report::{self, Encoding, SCHEMAS};

use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "schema",
    about: "Print the JSON Schema of an output or of the settings",
    arguments: Schema::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Schema {
    /// The schema
    #[arg(value_name = "NAME", value_parser = choice(SCHEMAS, |schema| (schema.name, schema.summary)))]
    schema: &'static report::Schema,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Schema::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    console.write(Encoding::Json.finish(format!("{:#}\n", (arguments.schema.json)())))?;
    console.close()?;
    Ok(Exit::Success)
}
