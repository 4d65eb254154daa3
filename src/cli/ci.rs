//! `trimtab ci`: runs every check of a project: format, lints, tests, simulations.

mod policy;
mod recordings;
mod simulation;

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_report::report::{self, CI_FORMATS, CiFormat, CiReport, TerminalStyle};

use super::choice::choice;
use super::console::{Console, Failure, OutputArguments};
use super::prices::PriceArguments;
use super::project::{Project, ProjectArguments};
use super::recordings::Jobs;
use super::{Exit, Subcommand, input};
use crate::host::output::append_to;

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "ci",
    about: "Run every check of a project: format, lints, tests with coverage, simulations",
    arguments: |command| {
        Ci::augment_args(command).after_help(
            "trimtab.toml configures the checks: [lint], [ci] with `paths`, `fail_level` and `coverage`, a [[simulate]] \
             table for each simulation with its expectations, and [[recordings]] tables with limits on recordings. Both run \
             regardless of the paths given.\n\
             In a GitHub workflow, findings are printed as annotations, and tables with charts of the simulations are added to the job summary.\n\
             Exit codes: 0 all checks passed; 1 a check failed; 2 a check could not be completed.",
        )
    },
    run,
};

#[derive(Args, Debug)]
struct Ci {
    /// Policy files, directories (their .trim files) or globs [default: `paths` in [ci], else the root of the project]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The output format [default: human, or github in a GitHub workflow]
    #[arg(long, value_parser = choice(CI_FORMATS, |format| (format.name, format.summary)))]
    format: Option<&'static CiFormat>,
    #[command(flatten)]
    jobs: Jobs,
    /// Succeed if there are no policy files
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    prices: PriceArguments,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

/// Extensions of policy files in directories.
const ENDINGS: &[&str] = &["trim"];

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Ci::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let project = arguments.project.open(&arguments.paths, &console)?;
    let files = arguments.files(&project)?;
    if files.is_empty() && !arguments.allow_empty {
        return Err(Failure::Message("no policy file was found (--allow-empty accepts this)".to_owned()));
    }
    let texts = policy::read(&files);
    let mut checks = vec![policy::format(&texts), policy::lint(&texts, &project), policy::test(&texts, &project)];
    let (simulated, simulations) = simulation::check(&project, arguments.prices, arguments.jobs.count())?;
    checks.push(simulated);
    checks.extend(recordings::check(&project, arguments.prices, arguments.jobs.count())?);
    // Of a long list, only the first problems are shown.
    for check in &mut checks {
        check.problems.sort_by_key(|problem| problem.severity);
    }
    let all = CiReport { checks, simulations, style: console.style };
    let format = arguments.format(&console);
    // Nothing is left to say to a person.
    let is_silent = console.is_quiet() && all.code() == 0 && std::ptr::eq(format, CI_FORMATS[0]);
    if !is_silent {
        console.write(format.render(&all))?;
    }
    console.close()?;
    let code = all.code();
    if is_workflow() {
        append_job_summary(all)?;
    }
    match code {
        0 => Ok(Exit::Success),
        1 => Ok(Exit::Findings),
        _ => Err(Failure::Message("some checks could not be completed".to_owned())),
    }
}

impl Ci {
    /// The policy files: of the arguments, else of the settings, else of the whole project.
    fn files(&self, project: &Project) -> Result<Vec<PathBuf>, Failure> {
        if !self.paths.is_empty() {
            return input::files(&self.paths, ENDINGS);
        }
        if project.config.paths.is_empty() {
            let root = project.folder();
            let root = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root };
            return input::files(&[root], ENDINGS);
        }
        let named = project.config.paths.iter().map(|path| project.files(path, ENDINGS));
        let mut files = named.collect::<Result<Vec<_>, _>>()?.concat();
        let mut known = HashSet::new();
        files.retain(|file| known.insert(file.clone()));
        Ok(files)
    }

    /// The format that the arguments name, else that of the place where this runs.
    fn format(&self, console: &Console) -> &'static CiFormat {
        let usual = if is_workflow() && !console.has_file() { "github" } else { "human" };
        self.format.or_else(|| report::ci_format(usual)).unwrap_or(CI_FORMATS[0])
    }
}

fn is_workflow() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Appends the table of checks to the job summary.
fn append_job_summary(all: CiReport) -> Result<(), Failure> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return Ok(()) };
    let Some(markdown) = report::ci_format("markdown") else { return Ok(()) };
    let style = TerminalStyle { width: 100, color: false, unicode: true };
    let text = markdown.render(&CiReport { style, ..all });
    let path = Path::new(&path);
    let written = append_to(path)?.write_all(text.as_bytes());
    written.map_err(|error| Failure::Message(format!("cannot write the job summary {}: {error}", path.display())))
}
