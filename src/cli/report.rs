//! `trimtab report`: replays transcripts with policies and writes the result as a page.

mod run;

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_report::report::{self, PageHead};
use trimtab_simulate::simulate::Options;

use self::run::{PageRun, PolicyOptions};
use super::console::{Console, Failure, OutputArguments};
use super::model::check_model;
use super::project::ProjectArguments;
use super::recordings::shows_progress;
use super::replay::{
    self, Batch, InputArguments, Inputs, ReplayArguments, SummariserChoice, SuppliedArguments, fact, playbook,
    summariser,
};
use super::{Exit, Subcommand, input};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "report",
    about: "Replay recordings under policies and write the result as a web page",
    arguments: Report::augment_args,
    run,
};

/// The most characters of a text in a page.
const MAX_TEXT: usize = 2_000;

#[derive(Args, Debug)]
struct Report {
    /// A policy file or a compiled plan (`-` is standard input), then recordings: files, directories (their .json, .jsonl,
    /// .ndjson, .eval and .traj files) or globs
    #[arg(required = true, value_names = ["POLICY", "RECORDING"])]
    paths: Vec<PathBuf>,
    /// Compare several policy files on the same recordings: `--policies A B -- RECORDING`
    #[arg(long, value_name = "POLICY", num_args = 1..)]
    policies: Vec<PathBuf>,
    /// How many transcripts are shown call by call: those that gain and lose most
    #[arg(long, value_name = "N", default_value_t = 20)]
    details: u32,
    /// Add text from the recordings to the page, at most 2,000 characters of each. Without it, the page holds sizes and the
    /// names of recordings, models, tools and rules, but no text from the recordings
    #[arg(long)]
    with_texts: bool,
    #[command(flatten)]
    replay: ReplayArguments,
    /// The summariser: extract, fixed:TEXT or fail
    #[arg(long, value_name = "SUMMARISER", default_value = "extract", value_parser = summariser::parse_repeatable)]
    summariser: SummariserChoice,
    #[command(flatten)]
    supplied: SuppliedArguments,
    #[command(flatten)]
    input: InputArguments,
    /// Fail if any recording cannot be read
    #[arg(long)]
    strict: bool,
    /// Succeed if there are no recordings
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Report::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let (policies, transcripts) = replay::split(SUBCOMMAND.name, &arguments.policies, &arguments.paths)?;
    if transcripts.iter().any(|path| input::is_stdin(path)) {
        let reason = "report reads some recordings twice, which standard input does not permit: name a file";
        return Err(Failure::Message(reason.to_owned()));
    }
    let mut console = Console::open(&arguments.output_options)?;
    if !arguments.output_options.has_file() {
        console.refuse_terminal("report.html")?;
    }
    let project = arguments.project.open(policies, &console)?;
    check_model(arguments.replay.model.as_deref(), &project.config.models)?;
    let stdin_filename = arguments.input.stdin_filename.as_deref();
    let Some(plans) = arguments.replay.plans(policies, stdin_filename, &project, &console)? else {
        return Ok(Exit::Findings);
    };
    let paths = replay::recordings(transcripts, arguments.allow_empty)?;
    let inputs = Inputs::choose(paths, &arguments.input, &console)?;
    let playbook = arguments.supplied.playbook.as_deref().map(|path| playbook::read(path, &console)).transpose()?;
    let summarisers = arguments.summariser.open(None)?;
    let mut options: PolicyOptions<'_> = Vec::with_capacity(plans.len());
    for (_, plan) in &plans {
        let facts = fact::all(&arguments.supplied.facts, plan, &plans)?;
        options.push((plan, Options { facts, playbook: playbook.clone(), ..arguments.replay.options() }));
    }
    let shows_progress = shows_progress(&console, false);
    let run = PageRun { inputs: &inputs, summarisers: &summarisers, options, arguments: &arguments, shows_progress };
    let mut batch = Batch::default();
    let (overview, places) = run.overview(&mut batch, &console)?;
    let details = run.details(&overview, &places)?;
    let head = PageHead {
        version: env!("CARGO_PKG_VERSION"),
        policies: &plans,
        has_texts: arguments.with_texts,
        sample: inputs.choice(arguments.input.sampling),
    };
    let page = report::page(&head, &overview, &details, &batch.errors);
    let ended = replay::exit(std::slice::from_ref(&batch), inputs.file_count(), arguments.strict)?;
    console.write(page)?;
    console.close()?;
    input::check_exist(transcripts)?;
    Ok(ended)
}
