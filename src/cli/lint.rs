//! `trimtab lint`: lints policies and fixes findings.

mod evidence;
mod fix;

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use rayon::prelude::*;
use trimtab_analysis::system::HARNESS;
use trimtab_base::diagnostic::{self, Diagnostic, Severity};
use trimtab_base::source::SourceId;
use trimtab_lint::lint::{Certainty, Day, FixResult, LintOutcome, SettingError, Settings, apply_fixes};
use trimtab_report::report::plural;

use super::console::{Console, Failure, OutputArguments};
use super::findings::{FindingsArguments, Report};
use super::load::Recording;
use super::project::{Project, ProjectArguments};
use super::since::SinceArguments;
use super::{Exit, Subcommand, input};
use crate::host::Files;
use crate::pipeline::{CompiledFile, Compiler, all_findings, sort_findings};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "lint",
    about: "Lint policies for rules that can never fire, conflict, trigger themselves or cost more than they save",
    arguments: |command| {
        let level = "The lowest severity that exits with code 1 [default: `fail_level` in [ci], else warning]";
        Lint::augment_args(command).mut_arg("fail_level", |argument| argument.help(level)).after_help(
            "`trimtab lints` lists the lints, `trimtab explain NAME` explains one.\n\
             To suppress a finding, write `# trimtab: allow(NAME) REASON` above the line or at its end. `file-allow` applies to \
             the whole file.\n\
             Exit codes: 0 success; 1 findings at or above --fail-level, or with --diff files that would change; 2 files \
             or settings could not be read.",
        )
    },
    run,
};

/// Extensions of policy files in directories.
const EXTENSIONS: &[&str] = &["trim"];

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Lint {
    /// Policy files, directories (their .trim files) or globs; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Run only these lints: names, categories or `all`
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    select: Vec<String>,
    /// Run these lints as well
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    extend_select: Vec<String>,
    /// Skip these lints
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Skip lints with a lower certainty
    #[arg(long, value_enum, value_name = "CERTAINTY")]
    certainty: Option<CertaintyLevel>,
    /// Apply safe fixes to the files
    #[arg(long)]
    fix: bool,
    /// With --fix or --diff, include fixes that may change what a policy does
    #[arg(long)]
    unsafe_fixes: bool,
    /// Print what the fixes would change as a unified diff without writing it
    #[arg(long)]
    diff: bool,
    /// Replay each policy on these recordings, for lints that need evidence: files, directories or globs
    #[arg(long, value_name = "RECORDING", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Report suppressed findings as well
    #[arg(long)]
    no_suppress: bool,
    /// Print the number of findings per lint instead of the findings
    #[arg(long)]
    statistics: bool,
    /// Fail only if there are more warnings than this
    #[arg(long, value_name = "N")]
    max_warnings: Option<usize>,
    /// The file name of standard input in messages
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// Succeed if there are no files
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    since: SinceArguments,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    findings: FindingsArguments,
    #[command(flatten)]
    output_options: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CertaintyLevel {
    /// Only lints whose findings are proved for all values of the facts
    Proved,
    /// Also lints that follow from the text of the policy
    Structural,
    /// All lints, including heuristics
    Heuristic,
}

/// A file to lint.
pub(super) struct FileToLint<'a> {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) settings: Settings,
    /// The recordings on which its policy is replayed.
    pub(super) recordings: Option<&'a [Recording]>,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Lint::from_arg_matches(matches).map_err(|error| error.to_string())?;
    input::check_single_stdin(&[&arguments.paths, &arguments.against])?;
    let mut console = Console::open(&arguments.output_options)?;
    let project = arguments.project.open(&arguments.paths, &console)?;
    let paths = input::files(&arguments.paths, EXTENSIONS)?;
    if paths.is_empty() && !arguments.allow_empty {
        return Err(Failure::Message("no policy file was found (--allow-empty accepts this)".to_owned()));
    }
    let since = arguments.since.open()?;
    if since.is_some() && (arguments.fix || arguments.diff) {
        return Err(Failure::Message(
            "fixes apply to whole files, so --since cannot be combined with --fix or --diff".to_owned(),
        ));
    }
    if let Some(name) = paths.iter().map(|path| path.display().to_string()).find(|name| name.starts_with(HARNESS))
        && arguments.fix
    {
        return Err(Failure::Message(format!("`{name}` cannot be fixed: it is not a file")));
    }
    if arguments.unsafe_fixes && !(arguments.fix || arguments.diff) {
        return Err(Failure::Message("--unsafe-fixes needs --fix or --diff".to_owned()));
    }
    let mut found = Report::default();
    let recordings = evidence::recordings(&arguments.against, &console)?;
    let mut files = arguments.load(&paths, &project, recordings.as_deref(), &mut found, &console)?;
    let exit = if arguments.fix || arguments.diff {
        arguments.apply_fixes(&mut files, &project, &mut console)?
    } else {
        Exit::Success
    };
    run_lints(&files, &project, &mut found);
    since.narrow(&mut found)?;
    let exit = arguments.emit(&found, exit, &project, &mut console)?;
    console.close()?;
    match found.unread.len() {
        0 => input::check_exist(&arguments.against).map(|()| exit),
        unread => Err(Failure::Message(format!("{unread} of {} files could not be read", paths.len()))),
    }
}

/// The current day, for suppressions that expire.
fn today() -> Option<Day> {
    let date = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let part = |number: i8| u8::try_from(number).ok();
    Some((u16::try_from(date.year()).ok()?, part(date.month())?, part(date.day())?))
}

/// Lints all files in parallel.
pub(super) fn run_lints(files: &[FileToLint<'_>], project: &Project, found: &mut Report) {
    let mut compiler = Compiler::default();
    let mut compiled = Vec::with_capacity(files.len());
    for file in files {
        let mut compiled_file = compiler.compile(&file.name, &file.text, &mut Files::around(&file.name));
        project.apply_profile(&mut compiled_file.checked);
        found.keep_path(&file.path, compiled_file.id);
        compiled.push(compiled_file);
    }
    let pairs = files.par_iter().zip(&compiled);
    let outcomes: Vec<LintOutcome> = pairs.map(|(file, compiled)| file.lint(&compiler, compiled)).collect();
    found.take(compiler);
    found.files = Some(files.len());
    found.findings.extend(outcomes.into_iter().flat_map(all_findings));
    sort_findings(&mut found.findings);
}

impl FileToLint<'_> {
    /// The findings of the lints on this text, with evidence from replays if there are recordings.
    fn lint(&self, compiler: &Compiler, compiled: &CompiledFile) -> LintOutcome {
        let traces =
            self.recordings.zip(compiled.checked.as_ref()).map(|(all, checked)| evidence::traces(checked, all));
        compiler.run_lints(compiled, &self.settings, traces.as_deref(), today())
    }

    /// The text with fixes applied.
    fn fixed(&self, allow_unsafe: bool, project: &Project) -> FixResult {
        let mut lint_text = |text: &str| {
            let mut compiler = Compiler::default();
            let mut compiled = compiler.compile(&self.name, text, &mut Files::around(&self.name));
            project.apply_profile(&mut compiled.checked);
            let mut findings = self.lint(&compiler, &compiled).findings;
            let is_own = |diagnostic: &&Diagnostic| diagnostic.primary.span.source == compiled.id;
            findings.extend(compiler.diagnostics().iter().filter(is_own).cloned());
            diagnostic::sort(&mut findings);
            findings
        };
        apply_fixes(&self.text, SourceId(0), allow_unsafe, &mut lint_text)
    }
}

impl Lint {
    fn load<'a>(
        &self,
        paths: &[PathBuf],
        project: &Project,
        recordings: Option<&'a [Recording]>,
        found: &mut Report,
        console: &Console,
    ) -> Result<Vec<FileToLint<'a>>, Failure> {
        let mut files = Vec::new();
        for path in paths {
            let name = input::display_name(path, self.stdin_filename.as_deref());
            match input::read_text(path) {
                Ok(text) => {
                    console.detail(&format!("{name}: {} lines", text.lines().count()));
                    let settings = self.settings(path, project)?;
                    files.push(FileToLint { path: path.clone(), name, text, settings, recordings });
                }
                Err(reason) => found.unread(name, reason, console),
            }
        }
        Ok(files)
    }

    /// The settings of the project, overridden by the command line.
    fn settings(&self, path: &Path, project: &Project) -> Result<Settings, Failure> {
        let mut settings = project.settings(path);
        let failure = |error: SettingError| {
            let suggestion =
                error.suggestion.map(|suggestion| format!("; did you mean `{suggestion}`?")).unwrap_or_default();
            Failure::Message(format!("{}{suggestion}", error.reason))
        };
        if !self.select.is_empty() {
            settings.select(&self.select).map_err(failure)?;
        }
        for word in &self.extend_select {
            settings.extend(word).map_err(failure)?;
        }
        for word in &self.ignore {
            settings.ignore(word).map_err(failure)?;
        }
        match self.certainty {
            Some(CertaintyLevel::Proved) => settings.set_certainty(Certainty::Proved),
            Some(CertaintyLevel::Structural) => settings.set_certainty(Certainty::Structural),
            Some(CertaintyLevel::Heuristic) => settings.set_certainty(Certainty::Heuristic),
            None => {}
        }
        settings.honors_suppressions &= !self.no_suppress;
        Ok(settings)
    }

    fn emit(&self, found: &Report, exit: Exit, project: &Project, console: &mut Console) -> Result<Exit, Failure> {
        if self.diff || self.fix && self.paths.iter().any(|path| path.as_os_str() == "-") {
            return Ok(exit);
        }
        let open =
            || found.findings.iter().filter(|finding| finding.suppressed.is_none()).map(|finding| &finding.diagnostic);
        let mut failing = self.findings.failing(project.config.fail_level.unwrap_or(Severity::Warning));
        let warnings = open().filter(|finding| finding.severity == Severity::Warning).count();
        if let Some(most) = self.max_warnings {
            // The number of warnings decides, whatever the level.
            failing.retain(|finding| *finding != Severity::Warning);
            failing.extend((warnings > most).then_some(Severity::Warning));
        }
        let exit = if self.statistics {
            self.findings.emit_statistics(found, &failing, console)?
        } else {
            self.findings.emit(found, &failing, console)?
        };
        if !self.statistics && !self.fix {
            self.report_fixable(open(), console)?;
        }
        if let Some(most) = self.max_warnings.filter(|most| warnings > *most) {
            console.note_below(&format!(
                "{} found, more than --max-warnings {most} allows",
                plural(warnings, "warning")
            ))?;
        }
        Ok(exit)
    }

    /// Prints how many findings can be fixed, and how.
    fn report_fixable<'d>(
        &self,
        open: impl Iterator<Item = &'d Diagnostic>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let (mut safe, mut other) = (0, 0);
        for finding in open {
            match finding.fixes.first() {
                Some(fix) if fix.safe => safe += 1,
                Some(_) => other += 1,
                None => {}
            }
        }
        if self.findings.is_for_people() && safe + other > 0 {
            console.note_below(&match (safe, other) {
                (_, 0) => format!("{} can be fixed with --fix", plural(safe, "finding")),
                (0, _) => format!("{} can be fixed with --fix --unsafe-fixes", plural(other, "finding")),
                _ => format!(
                    "{} can be fixed with --fix, {other} more with --fix --unsafe-fixes",
                    plural(safe, "finding")
                ),
            })?;
        }
        Ok(())
    }
}
