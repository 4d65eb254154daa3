//! `trimtab simulate`: replays transcripts with a policy.

pub(super) mod assertion;
pub(super) mod determining;
mod events;
mod explain;
mod output;
mod run;
mod stream;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_base::playbook::Playbook;
use trimtab_report::report::{PolicyReplays, ReplayHead};
use trimtab_simulate::simulate::Options;

use self::assertion::Assertions;
use self::explain::Explain;
use self::output::Output;
use self::run::PolicyRun;
use self::stream::is_stdout;
use super::console::{Console, Failure, OutputArguments};
use super::model::check_model;
use super::project::ProjectArguments;
use super::replay::{
    self, Batch, InputArguments, Inputs, ReplayArguments, SummariserChoice, SuppliedArguments, fact, playbook,
    summariser,
};
use super::{Exit, Subcommand, input};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "simulate",
    about: "Replay recordings under a policy and report its effect on the context",
    arguments: Simulate::augment_args,
    run,
};

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
struct Simulate {
    /// A policy file or a compiled plan (`-` is standard input), then recordings: files, directories (their .json, .jsonl,
    /// .ndjson, .eval and .traj files) or globs
    #[arg(required = true, value_names = ["POLICY", "RECORDING"])]
    paths: Vec<PathBuf>,
    /// Compare several policy files on the same recordings: `--policies A B -- RECORDING`
    #[arg(long, value_name = "POLICY", num_args = 1.., conflicts_with_all = ["contexts", "events", "explain"])]
    policies: Vec<PathBuf>,
    #[command(flatten)]
    replay: ReplayArguments,
    /// The summariser: extract, fixed:TEXT, fail, command:CMD, openai:MODEL[@URL] or anthropic:MODEL[@URL]. A command gets
    /// the conversation on standard input; the last two send it to a model server
    #[arg(long, value_name = "SUMMARISER", default_value = "extract", value_parser = summariser::parse)]
    summariser: SummariserChoice,
    /// The environment variable with the key of the model server [default without a URL: `OPENAI_API_KEY` or
    /// `ANTHROPIC_API_KEY`; none with a URL]
    #[arg(long, value_name = "VARIABLE")]
    summariser_key: Option<String>,
    #[command(flatten)]
    supplied: SuppliedArguments,
    /// Write every context that would have been sent to this file, one per line. Contains text from the recordings. `-` is
    /// standard output, in place of the report
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// Write the events that hooks would get to this file, one per line. Contains text from the recordings. `-` is standard
    /// output, in place of the report
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Draw a chart of the contexts, as recorded and with each policy, into this SVG file. It names recordings and rules and
    /// holds no text from the recordings. `-` is standard output, in place of the report
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Show the longest string that a tool call quotes of content that rules removed, instead of its length. The report then contains
    /// text from the recordings
    #[arg(long)]
    quotes: bool,
    /// Add the figures of each call, with its usage and cost, to the formats json and jsonl
    #[arg(long)]
    per_call: bool,
    /// Explain every rule at this call, counted from 0, or one rule at every call. Contains text from the recordings
    #[arg(long, value_name = "CALL|RULE", value_parser = explain::parse)]
    explain: Option<Explain>,
    /// Fail unless this expectation of a test holds on every recording, such as 'peak context.ratio <= 90%', or on all
    /// together, such as 'total edits > 0'
    #[arg(long = "assert", value_name = "EXPECTATION")]
    assertions: Vec<String>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    output: Output,
    /// Fail if any recording cannot be read
    #[arg(long)]
    strict: bool,
    /// Succeed if there are no recordings
    #[arg(long)]
    allow_empty: bool,
    /// Write JSON lines to standard error: one for each transcript that is done, and one for each message. For the packages for
    /// Python and Node
    #[arg(long, hide = true)]
    json_progress: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Simulate::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let (policies, transcripts) = replay::split(SUBCOMMAND.name, &arguments.policies, &arguments.paths)?;
    input::check_single_stdin(&[policies, transcripts])?;
    arguments.output.check()?;
    let mut console = Console::open(&arguments.output_options)?;
    if arguments.json_progress {
        console.use_json_messages();
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
    let summarisers = arguments.summariser.open(arguments.summariser_key.as_deref())?;
    let head = ReplayHead {
        policies: plans.len(),
        version: env!("CARGO_PKG_VERSION"),
        options: arguments.determining_options(playbook.as_deref(), &project.config.models),
    };
    let replaces_report = arguments.replaces_report();
    let mut stream = arguments.output.stream(&head, arguments.explain.is_some()).filter(|_| !replaces_report);
    let encoding = arguments.output.format.encoding;
    let mut done: Vec<Batch> = Vec::with_capacity(plans.len());
    for (at, (name, plan)) in plans.iter().enumerate() {
        arguments.explain.as_ref().map_or(Ok(()), |explain| explain.check(plan))?;
        let assertions = Assertions::of(&arguments.assertions, plan, &console)?;
        let facts = fact::all(&arguments.supplied.facts, plan, &plans)?;
        let options = Options { facts, ..arguments.options(playbook.clone()) };
        let policy = PolicyReplays { file: name, plan, replays: &[], summed: &[] };
        let (inputs, summarisers, first) = (&inputs, &summarisers, at == 0);
        let run = PolicyRun { policy, first, inputs, summarisers, plan, arguments: &arguments, options, assertions };
        let mut policy = run.replay_recordings(stream.as_deref_mut(), &mut console)?;
        arguments.explain.as_ref().map_or(Ok(()), |explain| explain.check_calls(&policy.replays))?;
        arguments.output.sort(&mut policy);
        if let Some(stream) = &mut stream {
            console.write(encoding.finish(stream.end(&done.first().unwrap_or(&policy).errors, &policy.summed)))?;
        }
        done.push(policy);
    }
    arguments.write_chart(&plans, &done)?;
    if let Some(stream) = &mut stream {
        console.write(encoding.finish(stream.finish()))?;
    } else if !replaces_report {
        console.write(arguments.render(&plans, &head, &done, &inputs, &console))?;
    }
    // The file stays even if nothing could be replayed: machine formats list the errors, which `trimtab merge` reads.
    console.close_result(!arguments.output.is_for_people() || replay::has_result(&done))?;
    let exit = replay::exit(&done, inputs.file_count(), arguments.strict)?;
    input::check_exist(transcripts)?;
    Ok(exit)
}

impl Simulate {
    /// Whether standard output is for contexts, events or the chart.
    fn replaces_report(&self) -> bool {
        let is_stdout = |path: &Option<PathBuf>| path.as_deref().is_some_and(is_stdout);
        [&self.contexts, &self.events, &self.svg].into_iter().any(is_stdout) && !self.output_options.has_file()
    }

    fn options(&self, playbook: Option<Arc<Playbook>>) -> Options {
        let (events, quotes) = (self.events.is_some(), self.quotes);
        let options = Options { playbook, events, quotes, per_call: self.per_call, ..self.replay.options() };
        match &self.explain {
            None => options,
            Some(explain) => explain.options(options),
        }
    }
}

#[cfg(test)]
mod tests;
