//! `trimtab transcript validate`: problems of recordings.

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::recording::problems;
use trimtab_report::report::{self, LISTING_FORMATS, ListingFormat, TranscriptProblems};

use super::inputs::{Found, Inputs};
use crate::cli::choice::choice;
use crate::cli::console::{Console, Failure, OutputArguments};
use crate::cli::replay::window;
use crate::cli::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "validate",
    about: "Check recordings: calls without results, repeated ids, missing usage, wrong times, too small windows",
    arguments: Validate::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Validate {
    #[command(flatten)]
    inputs: Inputs,
    /// The context window in tokens, such as 200000 or 200k
    #[arg(long, value_name = "N", value_parser = window)]
    window: Option<u64>,
    /// The output format
    #[arg(long, default_value = LISTING_FORMATS[0].name, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ListingFormat,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Validate::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let format = arguments.format;
    let (mut all, mut is_sound): (Vec<TranscriptProblems>, bool) = (Vec::new(), true);
    let outcome = arguments.inputs.each_transcript(
        &mut console,
        format.is_streamed,
        |recording| problems(&recording.transcript, arguments.window),
        |console, found| {
            let Found::Transcript(done) = found else { return Ok(()) };
            let one = TranscriptProblems { id: done.id, problems: done.value };
            is_sound &= one.problems.is_empty();
            if format.is_streamed {
                let listing = report::transcript_problems(std::slice::from_ref(&one), &[]);
                return console.write(format.render(&listing, console.style));
            }
            all.push(one);
            Ok(())
        },
    )?;
    if !format.is_streamed {
        let listing = report::transcript_problems(&all, &outcome.errors);
        let is_silent = console.is_quiet() && is_sound && outcome.errors.is_empty();
        if !(is_silent && std::ptr::eq(format, LISTING_FORMATS[0])) {
            console.write(format.render(&listing, console.style))?;
        }
    }
    console.close_with(outcome.exit().map(|exit| if is_sound { exit } else { Exit::Findings }))
}
