//! `trimtab init`: writes a starter policy, settings and a CI file.

mod forge;
mod starter;
mod summary;
mod survey;
mod target;

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::config;
use trimtab_report::report::{self, TerminalStyle};

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};
use crate::host::{self, FoundRecordings};
use forge::{CiFile, Forge};
use summary::{NextStep, from_here};
use survey::Survey;
use target::{FileOutcome, FileResult, TargetFile};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "init",
    about: "Write a starter policy with tests, trimtab.toml and a CI file",
    arguments: |command| {
        Init::augment_args(command).after_help(
            "Existing files are never changed: init writes what is missing, so it can be run again. If the project has \
             policies, no starter policy is written. In a repository, the CI file is written at its root.\n\
             init looks for recordings of coding agents where they are usually stored, and prints only how many there \
             are. It does not read them.\n\
             Exit codes: 0 success; 2 a file could not be written.",
        )
    },
    run,
};

const NO_FORGE: &str =
    "no CI file: no GitHub or GitLab repository was recognised (--ci github or --ci gitlab writes one)";

#[derive(Args, Debug)]
struct Init {
    /// The directory of the project; it is created if it does not exist
    #[arg(value_name = "DIRECTORY", default_value = ".")]
    directory: PathBuf,
    /// The forge to write a CI file for [default: that of the git remotes or of existing CI files]
    #[arg(long, value_enum, value_name = "FORGE")]
    ci: Option<Forge>,
    /// Do not look for recordings of coding agents in the home directory
    #[arg(long)]
    no_recordings: bool,
    /// List the files that would be written without writing them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output_options: OutputArguments,
}

/// What was found, and what follows from it.
struct Setup {
    survey: Survey,
    /// The recordings of coding agents, or `None` if they are not looked for.
    found: Option<Vec<FoundRecordings>>,
    ci: Option<Forge>,
    ci_file: Option<CiFile>,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Init::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    console.keep_existing();
    if let Some(path) = arguments.output_options.file().filter(|path| path.symlink_metadata().is_ok()) {
        return Err(format!("{} exists, and init overwrites no file", path.display()).into());
    }
    let setup = arguments.setup(&console)?;
    let targets = setup.targets();
    let (results, failed) = match check(&targets, &setup.survey.repository, &console)? {
        results if arguments.dry_run => (results, 0),
        _ => write(&targets, &console),
    };
    if !console.is_quiet() {
        let policies = setup.survey.policies.len();
        console.write(&summary::files(&results, policies, arguments.dry_run, console.style))?;
        if failed == 0 {
            if !results.is_empty() && results.iter().all(|(_, outcome)| *outcome == FileOutcome::Kept) {
                console.write("nothing to write: every file exists\n")?;
            }
            console.write(&arguments.hints(&setup, console.style))?;
        }
    }
    console.close()?;
    if failed == 0 {
        return Ok(Exit::Success);
    }
    Err(format!("{failed} of {} could not be written", report::plural(targets.len(), "file")).into())
}

impl Init {
    /// Looks at the directory and at the recordings.
    fn setup(&self, console: &Console) -> Result<Setup, Failure> {
        let survey = Survey::of(&self.directory, console)?;
        let found = (!self.no_recordings).then(host::find_recordings);
        let ci = self.ci.or_else(|| forge::detect(&survey.repository));
        let project = survey.root.strip_prefix(&survey.repository).unwrap_or(Path::new(""));
        let ci_file = ci.and_then(|forge| forge.ci_file(&survey.repository, project));
        Ok(Setup { survey, found, ci, ci_file })
    }

    /// What is printed below the files.
    fn hints(&self, setup: &Setup, style: TerminalStyle) -> String {
        let mut text = String::new();
        if setup.survey.is_below_settings {
            let (directory, root) = (self.directory.display(), from_here(&setup.survey.root));
            text += &style.wrap(&format!("{directory} belongs to the project in {}", root.display()), 0);
        }
        if setup.ci.is_none() {
            text += &style.wrap(NO_FORGE, 0);
        }
        if let Some(found) = &setup.found {
            text += &summary::recordings(found, style);
        }
        if !self.dry_run {
            text += &summary::next_steps(&setup.next_steps(), style);
            if setup.ci_file.as_ref().is_some_and(|file| file.needs_include) {
                text += &summary::include_step(style);
            }
        }
        text
    }
}

impl Setup {
    fn agent_recordings(&self) -> &[FoundRecordings] {
        self.found.as_deref().unwrap_or_default()
    }

    /// The files of the project, in the order of output.
    fn targets(&self) -> Vec<TargetFile> {
        let survey = &self.survey;
        let mut targets: Vec<TargetFile> = survey.policies.iter().cloned().map(TargetFile::existing).collect();
        let is_new = targets.is_empty();
        if is_new {
            let policy = starter::policy(starter::main_agent(self.agent_recordings()));
            targets.push(TargetFile::new(survey.starter.clone(), policy));
        }
        let starter = is_new.then(|| survey.inside(&survey.starter).to_string_lossy().replace('\\', "/"));
        let settings = starter::settings(&survey.paths, starter.as_deref());
        targets.push(TargetFile::new(survey.root.join(config::NAME), settings));
        let ci_file = self.ci_file.iter();
        targets.extend(
            ci_file.map(|file| TargetFile { path: survey.repository.join(&file.path), text: file.text.clone() }),
        );
        targets
    }

    /// The commands to run next: the checks, and a simulation, on recordings if any were found.
    fn next_steps(&self) -> Vec<NextStep> {
        let survey = &self.survey;
        let is_inside = std::env::current_dir().is_ok_and(|here| here.starts_with(&survey.root));
        let path_word = |path: &Path| {
            let path = if is_inside { from_here(path) } else { survey.inside(path).to_path_buf() };
            forge::shell_word(&path.to_string_lossy())
        };
        let policy = match survey.policies.as_slice() {
            [] => path_word(&survey.starter),
            [only] => path_word(only),
            _ => "POLICY".to_owned(),
        };
        let found = self.agent_recordings().iter().find(|one| one.count > 0);
        let recordings = match found {
            _ if survey.has_recordings => path_word(&survey.root.join(survey::RECORDINGS)),
            Some(found) => forge::shell_pattern(&found.place),
            None => "RECORDING".to_owned(),
        };
        let step =
            |purpose, words: &[&str]| NextStep { purpose, words: words.iter().map(ToString::to_string).collect() };
        let mut steps = vec![
            step("check, lint and test", &["trimtab", "ci"]),
            step("see what the policy would have done", &["trimtab", "simulate", &policy, &recordings]),
        ];
        if !is_inside {
            let root = forge::shell_word(&from_here(&survey.root).to_string_lossy());
            steps.insert(0, step("go to the project", &["cd", &root]));
        }
        steps
    }
}

/// What writing would do. All problems are printed, and if there is one, nothing is written.
fn check<'a>(targets: &'a [TargetFile], boundary: &Path, console: &Console) -> Result<Vec<FileResult<'a>>, Failure> {
    let results = print_errors(targets.iter().map(|target| (target, target.check(boundary))), console);
    if results.len() == targets.len() { Ok(results) } else { Err("nothing was written".to_owned().into()) }
}

/// Writes the files. Returns what was done, and how many could not be written.
fn write<'a>(targets: &'a [TargetFile], console: &Console) -> (Vec<FileResult<'a>>, usize) {
    let results = print_errors(targets.iter().map(|target| (target, target.write())), console);
    let failed = targets.len() - results.len();
    (results, failed)
}

/// Prints the errors and returns the other results.
fn print_errors<'a>(
    results: impl Iterator<Item = (&'a TargetFile, Result<FileOutcome, String>)>,
    console: &Console,
) -> Vec<FileResult<'a>> {
    let report = |(target, result): (&'a TargetFile, Result<FileOutcome, String>)| match result {
        Ok(outcome) => Some((target.path.as_path(), outcome)),
        Err(reason) => {
            console.error(&format!("error: cannot write {}: {reason}", from_here(&target.path).display()));
            None
        }
    };
    results.filter_map(report).collect()
}
