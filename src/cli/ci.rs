//! `trimtab ci`: everything that a project promises, in one run: layout, lints, tests, simulations.

mod policy;
mod simulation;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};

use super::console::{Console, Failure, OutputArguments};
use super::project::{self, Project, ProjectArguments};
use super::{Exit, Verb, input};
use crate::report::{self, CiFormat, CiReport, TerminalStyle};

pub(super) static VERB: Verb = Verb {
    name: "ci",
    about: "Check everything that a project promises: layout, lints, tests with coverage, simulations",
    arguments: |command| {
        Ci::augment_args(command).after_help(
            "What is promised stands in trimtab.toml: [lint], [ci] with `paths`, `fail_level` and `coverage`, and a \
             [[simulate]] for each simulation with what it must show. Simulations run whatever paths are named.\n\
             In a workflow of GitHub the result is annotations, and the summary of the job gets a table.\n\
             Exit codes: 0 everything is as promised; 1 something is not; 2 something could not be checked.",
        )
    },
    run,
};

#[derive(Args, Debug)]
struct Ci {
    /// Policy files, directories (their .trim files) or globs [default: `paths` of [ci], else the project's root]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The form of the result [default: human, in a workflow of GitHub github]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// No policy file at all is not an error
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    shown: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line a part, and the first few troubles of each
    Human,
    /// Annotations of a GitHub workflow
    Github,
    /// A table, for a comment or a summary
    Markdown,
    /// One JSON object
    Json,
}

/// Endings of policy files in directories.
const ENDINGS: &[&str] = &["trim"];

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Ci::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.shown)?;
    let project = arguments.project.open(&arguments.paths, &console)?;
    let files = input::files(&arguments.paths(&project), ENDINGS)?;
    if files.is_empty() && !arguments.allow_empty {
        return Err(Failure::Message("no policy file was found (--allow-empty if that is fine)".to_owned()));
    }
    let texts = policy::read(&files);
    let parts = vec![
        policy::format(&texts),
        policy::lint(&texts, &project),
        policy::test(&texts, &project),
        simulation::part(&project),
    ];
    let all = CiReport { parts };
    console.write(&report::ci_report(&all, arguments.form(&console), console.style))?;
    console.close()?;
    if is_workflow() {
        summarise(&all)?;
    }
    match all.code() {
        0 => Ok(Exit::Success),
        1 => Ok(Exit::Findings),
        _ => Err(Failure::Message("not everything could be checked".to_owned())),
    }
}

impl Ci {
    fn paths(&self, project: &Project) -> Vec<PathBuf> {
        if !self.paths.is_empty() {
            return self.paths.clone();
        }
        let root = root(project);
        let named = project.config.paths.iter().map(|path| root.join(path.node.as_str())).collect::<Vec<_>>();
        match (named.is_empty(), root.as_os_str().is_empty()) {
            (false, _) => named,
            (true, true) => vec![PathBuf::from(".")],
            (true, false) => vec![root],
        }
    }

    fn form(&self, console: &Console) -> CiFormat {
        match self.format {
            Some(Format::Github) => CiFormat::Github,
            Some(Format::Markdown) => CiFormat::Markdown,
            Some(Format::Json) => CiFormat::Json,
            None if is_workflow() && !console.has_file() => CiFormat::Github,
            None | Some(Format::Human) => CiFormat::Human,
        }
    }
}

/// The project's root as seen from here; the current folder, written as nothing, without one.
fn root(project: &Project) -> PathBuf {
    project.root.as_deref().map(project::shorter).unwrap_or_default()
}

fn is_workflow() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Puts the summary behind what stands in the summary of the job.
fn summarise(all: &CiReport) -> Result<(), Failure> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return Ok(()) };
    let plain = TerminalStyle { width: 100, color: false, unicode: true };
    let text = report::ci_report(all, CiFormat::Markdown, plain);
    let path = Path::new(&path);
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::Message(format!("cannot write the summary {}: {error}", path.display())))
}
