//! `trimtab transcript stat`: counts what recordings hold.

use clap::{ArgMatches, Args, FromArgMatches};

use super::inputs::{Found, Inputs};
use crate::cli::choice::choice;
use crate::cli::console::{Console, Failure, OutputArguments};
use crate::cli::project::ProjectArguments;
use crate::cli::recordings::{Done, ErrorInference};
use crate::cli::{Exit, Verb};
use crate::recording::{FileStatistics, TranscriptStatistics};
use crate::report::{self, LISTING_FORMATS, ListingFormat};

pub(super) static VERB: Verb = Verb {
    name: "stat",
    about: "Count messages, tool calls, errors, tokens and cost of recordings",
    arguments: Stat::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Stat {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    errors: ErrorInference,
    /// Print a row for each file: the default
    #[arg(long, conflicts_with = "by_format")]
    per_file: bool,
    /// Print a row for each transcript, of which a file may hold several
    #[arg(long, conflicts_with_all = ["by_format", "per_file"])]
    per_transcript: bool,
    /// Print a row for each format
    #[arg(long)]
    by_format: bool,
    /// The output format
    #[arg(long, default_value = LISTING_FORMATS[0].name, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ListingFormat,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let mut arguments = Stat::from_arg_matches(matches).map_err(|error| error.to_string())?;
    arguments.inputs.errors = arguments.errors;
    let mut console = Console::open(&arguments.output_options)?;
    let (format, mut files) = (arguments.format, Vec::new());
    let is_streamed = format.is_streamed && !arguments.by_format;
    let per_transcript = arguments.per_transcript;
    let models = ProjectArguments::default().open(&[], &console)?.config.models;
    // The rows of the file that is being read.
    let mut current: Vec<FileStatistics> = Vec::new();
    let outcome = arguments.inputs.each_transcript(
        &mut console,
        is_streamed,
        |recording| TranscriptStatistics::of(&recording.transcript, &models),
        |console, found| {
            let (name, format_name, sniffed) = match found {
                Found::Transcript(Done { file, id, value, skipped, .. }) => {
                    if per_transcript || current.is_empty() {
                        current.push(FileStatistics::new(if per_transcript { &id } else { &file.name }));
                    }
                    if let Some(row) = current.last_mut() {
                        row.add(value);
                        row.add_skipped(&skipped);
                    }
                    return Ok(());
                }
                Found::FileEnd { file, format, sniffed } => (file, format, sniffed),
            };
            if current.is_empty() {
                current.push(FileStatistics::new(name));
            }
            let rows =
                current.drain(..).map(|row| FileStatistics { format: format_name, sniffed: sniffed.clone(), ..row });
            if !is_streamed {
                files.extend(rows);
                return Ok(());
            }
            let listing = report::file_statistics(&rows.collect::<Vec<_>>(), &[]);
            console.write(format.render(&listing, console.style))
        },
    )?;
    if !is_streamed {
        let listing = if arguments.by_format { report::format_statistics } else { report::file_statistics };
        console.write(format.render(&listing(&files, &outcome.errors), console.style))?;
    }
    console.close_with(outcome.exit())
}
