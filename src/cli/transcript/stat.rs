//! `trimtab transcript stat`: counts what recordings hold.

use std::path::Path;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::recording::{
    COST_GROUPINGS, CostGrouping, CostTable, FileStatistics, TranscriptCosts, TranscriptStatistics,
};
use trimtab_model::model::Models;
use trimtab_report::report::{self, LISTING_FORMATS, Listing, ListingFormat, NamedBreaks};
use trimtab_simulate::simulate::RecordedCache;

use super::inputs::{Found, Inputs, ReadInputs};
use crate::cli::choice::choice;
use crate::cli::console::{Console, Failure, OutputArguments};
use crate::cli::prices::PriceArguments;
use crate::cli::project::ProjectArguments;
use crate::cli::recordings::{Done, ErrorInference};
use crate::cli::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "stat",
    about: "Count messages, tool calls, errors, tokens and cost of recordings, and cache breaks",
    arguments: Stat::augment_args,
    run,
};

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
struct Stat {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    errors: ErrorInference,
    /// Print a row for each file: the default
    #[arg(long, group = "rows")]
    per_file: bool,
    /// Print a row for each transcript, of which a file may hold several
    #[arg(long, group = "rows")]
    per_transcript: bool,
    /// Print a row for each format
    #[arg(long, group = "rows")]
    by_format: bool,
    /// Print costs by day, project, model or task, with the median and the ninth decile
    #[arg(long, group = "rows", value_name = "WHAT", value_parser = choice(&COST_GROUPINGS, |by| (by.name(), by.summary())))]
    by: Option<&'static CostGrouping>,
    /// Print a row for each cache break, with its cause
    #[arg(long, group = "rows")]
    breaks: bool,
    #[command(flatten)]
    prices: PriceArguments,
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
    let models = arguments.prices.of(&ProjectArguments::default().open(&[], &console)?.config.models);
    let (outcome, listing) = match arguments.by {
        Some(by) => arguments.costs(*by, &models, &mut console)?,
        None if arguments.breaks => arguments.breaks(&models, &mut console)?,
        None => arguments.files(&models, &mut console)?,
    };
    if let Some(listing) = listing {
        console.write(arguments.format.render(&listing, console.style))?;
    }
    console.close_with(outcome.exit())
}

/// What became of the files, and the listing if it has not been written.
type Listed = Result<(ReadInputs, Option<Listing>), Failure>;

impl Stat {
    /// A row for each file, transcript or format.
    fn files(&self, models: &Models, console: &mut Console) -> Listed {
        let (format, mut files) = (self.format, Vec::new());
        let is_streamed = format.is_streamed && !self.by_format;
        let per_transcript = self.per_transcript;
        // The rows of the file that is being read.
        let mut current: Vec<FileStatistics> = Vec::new();
        let outcome = self.inputs.each_transcript(
            console,
            is_streamed,
            |recording| TranscriptStatistics::of(&recording.transcript, models),
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
                let rows = current.drain(..);
                let rows = rows.map(|row| FileStatistics { format: format_name, sniffed: sniffed.clone(), ..row });
                if !is_streamed {
                    files.extend(rows);
                    return Ok(());
                }
                let listing = report::file_statistics(&rows.collect::<Vec<_>>(), &[]);
                console.write(format.render(&listing, console.style))
            },
        )?;
        let listing = if self.by_format { report::format_statistics } else { report::file_statistics };
        let listing = (!is_streamed).then(|| listing(&files, &outcome.errors));
        Ok((outcome, listing))
    }

    /// A row for each cache break.
    fn breaks(&self, models: &Models, console: &mut Console) -> Listed {
        let (format, mut all) = (self.format, Vec::new());
        let outcome = self.inputs.each_transcript(
            console,
            format.is_streamed,
            |recording| RecordedCache::of(&recording.transcript, models).breaks,
            |console, found| {
                let Found::Transcript(Done { id, value: breaks, .. }) = found else { return Ok(()) };
                let one = NamedBreaks { id, breaks };
                if format.is_streamed {
                    let listing = report::cache_breaks(std::slice::from_ref(&one), &[]);
                    return console.write(format.render(&listing, console.style));
                }
                all.push(one);
                Ok(())
            },
        )?;
        let listing = (!format.is_streamed).then(|| report::cache_breaks(&all, &outcome.errors));
        Ok((outcome, listing))
    }

    /// A row for each day, project or model, or for the tasks of each transcript.
    fn costs(&self, by: CostGrouping, models: &Models, console: &mut Console) -> Listed {
        let mut table = CostTable::new(by);
        let outcome = self.inputs.each_transcript(
            console,
            false,
            |recording| TranscriptCosts::of(&recording.transcript, models),
            |_, found| {
                if let Found::Transcript(Done { file, id, value, .. }) = found {
                    table.add(&id, &folder(&file.name), &value);
                }
                Ok(())
            },
        )?;
        let listing = report::costs(&table, &outcome.errors);
        Ok((outcome, Some(listing)))
    }
}

/// The folder of a file.
fn folder(name: &str) -> String {
    let folder = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or_else(|| ".".to_owned(), |folder| folder.display().to_string())
}
