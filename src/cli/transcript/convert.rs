//! `trimtab transcript convert`: recordings in the formats of other systems.

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::recording::{CONVERSIONS, ConversionFormat, Losses, convert};
use trimtab_report::report::Encoding;

use super::inputs::Inputs;
use crate::cli::choice::choice;
use crate::cli::console::{Console, Failure, OutputArguments};
use crate::cli::recordings::ErrorInference;
use crate::cli::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "convert",
    about: "Convert recordings to another format and list what is lost",
    arguments: Convert::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Convert {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    errors: ErrorInference,
    /// The format of the output
    #[arg(long, value_name = "NAME", value_parser = choice(CONVERSIONS, |format| (format.name, format.summary)))]
    to: &'static ConversionFormat,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let mut arguments = Convert::from_arg_matches(matches).map_err(|error| error.to_string())?;
    arguments.inputs.errors = arguments.errors;
    let mut console = Console::open(&arguments.output_options)?;
    let mut lost = Losses::default();
    let outcome = arguments.inputs.each(
        &mut console,
        |_, file| file.transcripts.iter().map(|one| convert(one, arguments.to)).collect::<Vec<_>>(),
        |console, converted| {
            for (text, losses) in converted {
                lost.join(&losses);
                console.write(Encoding::Data.finish(text))?;
            }
            Ok(())
        },
    )?;
    for (loss, number) in &lost.0 {
        console.note(&format!("lost: {} ({number})", loss.phrase()));
    }
    console.close_with(outcome.exit())
}
