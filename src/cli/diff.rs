//! `trimtab diff`: two policies compared by meaning.

mod policy;

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::diff::{ReplayDifference, compare};
use trimtab_language::plan::Plan;
use trimtab_report::report::{
    COMPARISON_FORMATS, ComparedPolicy, Comparison, ComparisonFormat, ContextCharts, ContextSeries, UnreadFile,
};
use trimtab_simulate::simulate::{Extract, Options, replay};

use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::load;
use super::prices::PriceArguments;
use super::project::ProjectArguments;
use super::recordings::{Item, Jobs, Recordings, shows_progress};
use super::replay::window;
use super::{Exit, Subcommand, input};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "diff",
    about: "Compare two policies by meaning: which rules fire more often, less often, or differently",
    arguments: |command| {
        let command = Diff::augment_args(command).mut_arg("prices_of", |argument| argument.requires("on"));
        command.after_help(
            "A policy is a file, or REV:PATH for a file in a git revision, such as HEAD~1:policies/coder.trim. The path is \
             relative to the root of the repository, or to the current directory if it begins with ./. Files that it \
             uses are read from the same revision. An existing file whose name contains a colon takes precedence.\n\
             Both policies are compared with the same model, window and tools: those of the project, or those given by \
             --profile or --window.\n\
             Exit codes: 0 compared; 1 with --exit-code if they differ; 2 a policy could not be compared.",
        )
    },
    run,
};

#[derive(Args, Debug)]
struct Diff {
    /// The old policy: a file, REV:PATH, or `-` for standard input
    #[arg(value_name = "BEFORE")]
    before: String,
    /// The new policy: a file, REV:PATH, or `-` for standard input
    #[arg(value_name = "AFTER")]
    after: String,
    /// The policy to compare, if a file defines several
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// The context window in tokens, such as 200000 or 200k
    #[arg(long, value_name = "N", value_parser = window)]
    window: Option<u64>,
    /// Replay these recordings with both policies and compare the results: files, directories or globs
    #[arg(long, value_name = "RECORDING", num_args = 1..)]
    on: Vec<PathBuf>,
    #[command(flatten)]
    prices: PriceArguments,
    #[command(flatten)]
    jobs: Jobs,
    /// The output format
    #[arg(long, default_value = COMPARISON_FORMATS[0].name, value_parser = choice(COMPARISON_FORMATS, |format| (format.name, format.summary)))]
    format: &'static ComparisonFormat,
    /// Exit with code 1 if the policies differ
    #[arg(long)]
    exit_code: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

/// The replays of the recordings with both policies.
#[derive(Default)]
struct Replays {
    /// The differences, the largest first, or `None` if no recordings were named.
    differences: Option<Vec<ReplayDifference>>,
    charts: ContextCharts,
    /// The recordings that could not be replayed.
    unread: Vec<UnreadFile>,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Diff::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let policies = [&arguments.before, &arguments.after].map(PathBuf::from);
    input::check_single_stdin(&[&policies[..1], &policies[1..], &arguments.on])?;
    let mut console = Console::open(&arguments.output_options)?;
    let first = arguments.anchor();
    let project = arguments.project.open(&[first], &console)?;
    let load = |named: &str| {
        let (name, mut compiled) = policy::compile(named, &console)?;
        project.apply_profile(&mut compiled.checked);
        policy::plan(&name, compiled, arguments.policy.as_deref(), arguments.window)
    };
    let (before, after) = (load(&arguments.before)?, load(&arguments.after)?);
    let difference = compare(&before, &after);
    let Replays { differences, charts, unread } = arguments.replays(&before, &after, &console)?;
    let comparison = Comparison {
        before: ComparedPolicy { file: &arguments.before, plan: &before },
        after: ComparedPolicy { file: &arguments.after, plan: &after },
        difference: &difference,
        replays: differences.as_deref(),
        charts: &charts,
        unread: &unread,
        style: console.style,
    };
    let is_silent = console.is_quiet() && comparison.is_same() && std::ptr::eq(arguments.format, COMPARISON_FORMATS[0]);
    if !is_silent {
        console.write(arguments.format.render(&comparison))?;
    }
    console.close()?;
    input::check_exist(&arguments.on)?;
    Ok(if arguments.exit_code && !comparison.is_same() { Exit::Findings } else { Exit::Success })
}

impl Diff {
    /// Where the search for the project begins: at the first policy that is a file.
    fn anchor(&self) -> PathBuf {
        let files = [&self.after, &self.before].into_iter().map(PathBuf::from);
        files.into_iter().find(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("."))
    }

    /// Replays the recordings with both policies.
    fn replays(&self, before: &Plan, after: &Plan, console: &Console) -> Result<Replays, Failure> {
        if self.on.is_empty() {
            return Ok(Replays::default());
        }
        let paths = input::files(&self.on, load::RECORDINGS)?;
        let agents = load::AgentFiles::among(&paths);
        let recordings = Recordings {
            agents: Some(&agents),
            shows_progress: shows_progress(console, false),
            ..Recordings::new(&paths, self.jobs.count())
        };
        let (mut all, mut charts, mut unread) = (Vec::new(), ContextCharts::default(), Vec::new());
        recordings.each(
            |_, recording| self.replayed(before, after, recording),
            |item| {
                let (file, message) = match item {
                    Item::Done(done) => {
                        let (difference, series) = done.value;
                        charts.add(&done.id, difference.weight(), series);
                        all.push(ReplayDifference { id: done.id, ..difference });
                        return Ok(());
                    }
                    Item::FileEnd { .. } => return Ok(()),
                    Item::Panicked { id, message } => (id, message),
                    Item::Unread { file, error } => (file.name.clone(), error.message),
                };
                console.error(&format!("error: {file}: {message}"));
                unread.push(UnreadFile { file, message });
                Ok(())
            },
        )?;
        if all.is_empty() {
            return Err(Failure::Message("--on matches no readable recording".to_owned()));
        }
        console.detail(&format!("{} conversations replayed with both policies", all.len()));
        all.sort_by_key(|difference| std::cmp::Reverse(difference.weight()));
        Ok(Replays { differences: Some(all), charts, unread })
    }

    fn replayed(&self, before: &Plan, after: &Plan, recording: &load::Recording) -> (ReplayDifference, ContextSeries) {
        let options = Options { window: self.window, prices_of: self.prices.prices_of, ..Options::default() };
        let trace = |plan| replay(plan, &recording.transcript, &options, &mut Extract, &mut |_| {});
        let (before, after) = (trace(before), trace(after));
        (ReplayDifference::of(&before, &after), ContextSeries::of(&[&before, &after]))
    }
}
