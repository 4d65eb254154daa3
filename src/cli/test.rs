//! `trimtab test`: runs the tests in policy files, measures coverage, and watches files.

mod filter;
pub(super) mod load;
mod watch;

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_analysis::test;
use trimtab_base::quantity::Decimal;
use trimtab_language::check::TestCase;
use trimtab_report::report::{Rendered, TEST_FORMATS, TestFormat, TestReport, TestedFile};

use self::filter::TestFilter;
use self::load::LoadedFile;
use super::choice::choice;
use super::console::{Console, Failure, OutputArguments, one_message};
use super::project::ProjectArguments;
use super::{Exit, Subcommand, input};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "test",
    about: "Run the tests in policy files and measure coverage",
    arguments: Test::augment_args,
    run,
};

/// Extensions of policy files in directories.
const ENDINGS: &[&str] = &["trim"];

#[derive(Args, Debug)]
struct Test {
    /// Policy files, directories (their .trim files) or globs
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Run only tests whose name contains this text or matches this /regular expression/
    #[arg(long, value_name = "TEXT", value_parser = filter::parse)]
    run: Option<TestFilter>,
    #[command(flatten)]
    coverage: CoverageArguments,
    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long)]
    watch: bool,
    /// Run the tests in random order; the printed seed reproduces it
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true, default_missing_value = "any",
        value_parser = filter::seed)]
    shuffle: Option<u64>,
    /// List the tests without running them
    #[arg(long)]
    list: bool,
    /// The output format
    #[arg(long, default_value = TEST_FORMATS[0].name, value_parser = choice(TEST_FORMATS, |format| (format.name, format.summary)))]
    format: &'static TestFormat,
    /// Succeed if there are no tests
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

#[derive(Args, Debug)]
struct CoverageArguments {
    /// Print coverage: rules that fired, and comparisons that were both true and false
    #[arg(long)]
    coverage: bool,
    /// Fail if the coverage of a policy is below this percentage
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_coverage: Option<Decimal>,
}

fn percent(text: &str) -> Result<Decimal, String> {
    let number: Decimal =
        text.trim_end_matches('%').parse().map_err(|_| "expected a number from 0 to 100".to_owned())?;
    let fits = number >= Decimal::ZERO && number <= Decimal::ONE_HUNDRED;
    if fits { Ok(number / Decimal::ONE_HUNDRED) } else { Err("expected a number from 0 to 100".to_owned()) }
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Test::from_arg_matches(matches).map_err(|error| error.to_string())?;
    if !arguments.watch {
        return run_once(&arguments).1;
    }
    loop {
        let (seen, ended) = run_once(&arguments);
        match ended {
            Err(Failure::OutputClosed) => return Err(Failure::OutputClosed),
            Err(Failure::Message(reason)) => Console::print_error(&one_message(&format!("error: {reason}"))),
            Ok(_) => {}
        }
        Console::print_error("waiting for changes; press Ctrl-C to stop");
        seen.wait(|| input::files(&arguments.paths, ENDINGS).unwrap_or_default());
    }
}

/// One run, and a snapshot of the files that it depends on.
fn run_once(arguments: &Test) -> (watch::Snapshot, Result<Exit, Failure>) {
    let paths = match input::files(&arguments.paths, ENDINGS) {
        Ok(paths) => paths,
        Err(failure) => return (watch::Snapshot::default(), Err(failure)),
    };
    // Taken before anything is read, so that no change is missed.
    let mut seen = watch::Snapshot::of(&paths);
    let ended = run_files(arguments, &paths, &mut seen);
    (seen, ended)
}

fn run_files(arguments: &Test, paths: &[PathBuf], seen: &mut watch::Snapshot) -> Result<Exit, Failure> {
    let mut console = Console::open(&arguments.output_options)?;
    let project = arguments.project.open(paths, &console)?;
    let (mut loaded, mut broken, mut unread) = (Vec::new(), false, 0);
    for path in paths {
        match load::file(path, &project, &console) {
            Ok(Some(file)) => loaded.push(file),
            Ok(None) => broken = true,
            Err(Failure::Message(reason)) => {
                console.error(&format!("error: {reason}"));
                unread += 1;
            }
            Err(Failure::OutputClosed) => return Err(Failure::OutputClosed),
        }
    }
    for file in &loaded {
        seen.add(file.recordings());
    }
    let chosen = |case: &TestCase| arguments.run.as_ref().is_none_or(|filter| filter.matches(&case.name));
    let count = loaded.iter().flat_map(|file| &file.checked.tests).filter(|case| chosen(case)).count();
    let text = if arguments.list {
        Rendered::from(&loaded.iter().map(|file| file.list(&chosen)).collect::<String>())
    } else {
        let testing = arguments.test(&loaded, &chosen, &console);
        broken |= testing.counts().passed < count || testing.uncovered().next().is_some();
        arguments.format.render(&testing)
    };
    if count == 0 && !broken && unread == 0 && !arguments.allow_empty {
        return Err(Failure::Message("no test was found (--allow-empty accepts this)".to_owned()));
    }
    console.write(text)?;
    if arguments.watch {
        console.ensure_open()?;
    }
    console.close()?;
    match (unread, broken) {
        (0, false) => Ok(Exit::Success),
        (0, true) => Ok(Exit::Findings),
        (unread, _) => Err(Failure::Message(format!("{unread} of {} files could not be read", paths.len()))),
    }
}

impl Test {
    fn test<'a>(
        &self,
        loaded: &'a [LoadedFile],
        chosen: &dyn Fn(&TestCase) -> bool,
        console: &Console,
    ) -> TestReport<'a> {
        let seed = self.shuffle;
        let file = |file: &'a LoadedFile| {
            let mut cases: Vec<&TestCase> = file.checked.tests.iter().filter(|case| chosen(case)).collect();
            if let Some(seed) = seed {
                test::shuffle(&mut cases, seed);
            }
            let outcomes = test::run(&file.checked, &cases, file);
            let coverage = test::coverage(&file.checked, &outcomes);
            TestedFile { file: &file.name, sources: &file.sources, outcomes, coverage }
        };
        let mut files: Vec<TestedFile<'a>> = loaded.iter().map(file).collect();
        if let Some(seed) = seed {
            test::shuffle(&mut files, seed);
        }
        let CoverageArguments { coverage, min_coverage: least } = self.coverage;
        TestReport {
            files,
            shows_coverage: coverage || least.is_some(),
            least,
            seed,
            style: console.style,
            quiet: console.is_quiet(),
        }
    }
}
