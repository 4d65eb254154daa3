//! `trimtab transcript show`: the contexts of a recording, call by call.

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::recording::{History, HistoryOptions};
use trimtab_report::report::{self, HistoryPart, LISTING_FORMATS, ListingFormat, NamedHistory};

use super::inputs::Inputs;
use crate::cli::choice::choice;
use crate::cli::console::{Console, Failure, OutputArguments};
use crate::cli::load::transcripts;
use crate::cli::model::check_model;
use crate::cli::project::{Project, ProjectArguments};
use crate::cli::recordings::ErrorInference;
use crate::cli::replay::window;
use crate::cli::{Exit, Subcommand};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "show",
    about: "Show the context of each model call of a recording: sizes, tools, errors, compactions",
    arguments: Show::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Show {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    errors: ErrorInference,
    /// Show only the conversation with this id, of files with several
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// Show what the context of this call contained, counted from 0. Contains beginnings of texts from the recording
    #[arg(long, value_name = "N", conflicts_with_all = ["tools", "largest"])]
    call: Option<usize>,
    /// Show calls, errors and result sizes of each tool
    #[arg(long, conflicts_with = "largest")]
    tools: bool,
    /// Show the largest parts and how many calls had them in their context. Contains beginnings of texts from the recording
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10")]
    largest: Option<usize>,
    /// The context window in tokens, such as 200000 or 200k
    #[arg(long, value_name = "N", value_parser = window)]
    window: Option<u64>,
    /// The model, for its window
    #[arg(long, value_name = "ID")]
    model: Option<String>,
    /// The output format
    #[arg(long, default_value = LISTING_FORMATS[0].name, value_parser = choice(LISTING_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ListingFormat,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

impl Show {
    fn part(&self) -> HistoryPart {
        match self.call {
            Some(call) => HistoryPart::Content(call),
            None if self.tools => HistoryPart::Tools,
            None if self.largest.is_some() => HistoryPart::Largest,
            None => HistoryPart::Calls,
        }
    }

    fn options(&self, project: &Project) -> HistoryOptions {
        let (window, model, call) = (self.window, self.model.clone(), self.call);
        HistoryOptions { agent: project.agent(), window, model, call, largest: self.largest.unwrap_or(0) }
    }
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let mut arguments = Show::from_arg_matches(matches).map_err(|error| error.to_string())?;
    arguments.inputs.errors = arguments.errors;
    let mut console = Console::open(&arguments.output_options)?;
    let project = arguments.project.open(arguments.inputs.paths(), &console)?;
    check_model(arguments.model.as_deref(), &project.config.models)?;
    let (format, part, options) = (arguments.format, arguments.part(), arguments.options(&project));
    let mut all: Vec<NamedHistory> = Vec::new();
    let mut shown = 0;
    let mut most: Option<(String, usize)> = None;
    let outcome = arguments.inputs.each(
        &mut console,
        |name, file| {
            let kept = transcripts(name, file).into_iter();
            let kept = kept.filter(|one| arguments.id.as_ref().is_none_or(|id| one.transcript.id == *id));
            let named = |one: crate::cli::load::Recording| {
                let history = History::of(&one.transcript, &options);
                NamedHistory { file: name.to_owned(), id: one.id, history }
            };
            kept.map(named).collect::<Vec<_>>()
        },
        |console, histories| {
            shown += histories.len();
            for one in &histories {
                let calls = one.history.calls.len();
                if most.as_ref().is_none_or(|(_, most)| calls > *most) {
                    most = Some((one.id.clone(), calls));
                }
            }
            if format.is_streamed {
                let listing = report::histories(&histories, part, &[]);
                return console.write(format.render(&listing, console.style));
            }
            all.extend(histories);
            Ok(())
        },
    )?;
    // No conversation has the call if that with the most has not.
    if let Some((call, (id, calls))) = arguments.call.zip(most).filter(|(call, (_, calls))| call >= calls) {
        let calls = report::plural(calls, "model call");
        return Err(Failure::Message(format!("there is no call {call}: {id} has {calls}, counted from 0")));
    }
    if !format.is_streamed {
        let listing = report::histories(&all, part, &outcome.errors);
        console.write(format.render(&listing, console.style))?;
    }
    console.close_with(match arguments.id.filter(|_| shown == 0) {
        Some(id) => Err(Failure::Message(format!("no conversation has the id `{id}`"))),
        None => outcome.exit(),
    })
}
