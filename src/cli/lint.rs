//! `trimtab lint`: advice on policies, with fixes.

mod evidence;
mod fix;

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use rayon::prelude::*;

use super::console::{Console, Failure, OutputArguments};
use super::findings::{FindingsArguments, Report};
use super::load::Recording;
use super::project::{Project, ProjectArguments};
use super::since::SinceArguments;
use super::{Exit, Verb, input};
use crate::diagnostic::{self, Diagnostic, Severity};
use crate::host::Files;
use crate::lint::{Certainty, Day, FixResult, LintOutcome, SettingError, Settings, apply_fixes};
use crate::pipeline::{CompiledFile, Compiler};
use crate::report::Finding;
use crate::source::SourceId;

pub(super) static VERB: Verb = Verb {
    name: "lint",
    about: "Advise on policy files: what can never hold, undoes itself, loops or costs more than it saves; fixes too",
    arguments: |command| {
        let level =
            "The least severity that ends with exit code 1 [default: warning, or what [ci] says in the settings]";
        Lint::augment_args(command).mut_arg("fail_level", |argument| argument.help(level)).after_help(
            "`trimtab rules` lists the lints, `trimtab explain NAME` tells of one. A comment keeps a finding back:\n\
             `# trimtab: allow(NAME) REASON` above or behind the line, `file-allow` for the whole file.\n\
             Exit codes: 0 fine; 1 findings at or above --fail-level, or with --diff files that would change; 2 files \
             or settings that could not be read.",
        )
    },
    run,
};

/// Endings of policy files in directories.
const ENDINGS: &[&str] = &["trim"];

#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
struct Lint {
    /// Policy files, directories (their .trim files) or globs; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only these lints: names, categories, `all`
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    select: Vec<String>,
    /// These lints, too
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    extend_select: Vec<String>,
    /// Not these lints
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Leave out lints that are less sure
    #[arg(long, value_enum, value_name = "LEAST")]
    certainty: Option<CertaintyLevel>,
    /// Apply safe fixes to the files
    #[arg(long)]
    fix: bool,
    /// With --fix or --diff: fixes that may change what a policy does, too
    #[arg(long)]
    unsafe_fixes: bool,
    /// Write nothing; show what the fixes would change as a unified diff
    #[arg(long)]
    diff: bool,
    /// Recordings to replay each policy on, for lints on evidence: files, directories or globs
    #[arg(long, value_name = "TRANSCRIPT", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Report what comments keep back, too
    #[arg(long)]
    no_suppress: bool,
    /// Count the findings by lint instead of listing them
    #[arg(long)]
    statistics: bool,
    /// Fail when there are more warnings than this, and not for so many or fewer
    #[arg(long, value_name = "N")]
    max_warnings: Option<usize>,
    /// What standard input is called in messages
    #[arg(long, value_name = "NAME")]
    stdin_filename: Option<String>,
    /// No file at all is not an error
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    since: SinceArguments,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    findings: FindingsArguments,
    #[command(flatten)]
    shown: OutputArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CertaintyLevel {
    /// Only what is decided over all values of the facts
    Proved,
    /// Also what follows from what is written
    Structural,
    /// Also rules of thumb
    Heuristic,
}

/// One file on its way.
pub(super) struct Work<'a> {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) settings: Settings,
    /// What its policy is replayed on.
    pub(super) recordings: Option<&'a [Recording]>,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Lint::from_arg_matches(matches).map_err(|error| error.to_string())?;
    input::check_single_stdin(&[&arguments.paths, &arguments.against])?;
    let mut console = Console::open(&arguments.shown)?;
    let project = arguments.project.open(&arguments.paths, &console)?;
    let paths = input::files(&arguments.paths, ENDINGS)?;
    if paths.is_empty() && !arguments.allow_empty {
        return Err(Failure::Message("no policy file was found (--allow-empty if that is fine)".to_owned()));
    }
    let since = arguments.since.open(&arguments.paths)?;
    if since.is_some() && (arguments.fix || arguments.diff) {
        return Err(Failure::Message(
            "fixes are made in whole files, so --since does not go with --fix or --diff".to_owned(),
        ));
    }
    if arguments.unsafe_fixes && !(arguments.fix || arguments.diff) {
        return Err(Failure::Message(
            "--unsafe-fixes says which fixes are made; it needs --fix, or --diff to see them first".to_owned(),
        ));
    }
    let mut found = Report::default();
    let recordings = evidence::recordings(&arguments.against, &console)?;
    let mut work = arguments.load(&paths, &project, recordings.as_deref(), &mut found, &console)?;
    let exit = if arguments.fix || arguments.diff {
        arguments.apply_fixes(&mut work, &project, &mut console)?
    } else {
        Exit::Success
    };
    run_lints(&work, &project, &mut found);
    since.narrow(&mut found)?;
    let exit = arguments.emit(&found, exit, &project, &mut console)?;
    console.close()?;
    match found.unread.len() {
        0 => Ok(exit),
        unread => Err(Failure::Message(format!("{unread} of {} files could not be read", paths.len()))),
    }
}

/// The day on which this runs, by which suppressions expire.
fn today() -> Option<Day> {
    let date = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let part = |number: i8| u8::try_from(number).ok();
    Some((u16::try_from(date.year()).ok()?, part(date.month())?, part(date.day())?))
}

/// Looks at all files, several at once.
pub(super) fn run_lints(work: &[Work<'_>], project: &Project, found: &mut Report) {
    let mut compiler = Compiler::default();
    let mut compiled = Vec::with_capacity(work.len());
    for one in work {
        let mut done = compiler.compile(&one.name, &one.text, &mut Files::around(&one.name));
        project.apply_profile(&mut done.checked);
        found.note(&one.path, done.id);
        compiled.push(done);
    }
    let each = work.par_iter().zip(&compiled);
    let advice: Vec<LintOutcome> = each.map(|(one, done)| one.advice(&compiler, done)).collect();
    found.take(compiler);
    found.files = Some(work.len());
    for one in advice {
        found.findings.extend(one.findings.into_iter().map(Finding::from));
        let suppressed = one.suppressed.into_iter();
        found.findings.extend(suppressed.map(|(diagnostic, reason)| Finding { diagnostic, suppressed: Some(reason) }));
    }
    let place = |one: &Finding| (one.diagnostic.primary.span, one.diagnostic.code.id);
    found.findings.sort_by(|a, b| place(a).cmp(&place(b)));
}

impl Work<'_> {
    /// Lints a text of this file; with recordings, the text is replayed on them first.
    fn advice(&self, compiler: &Compiler, done: &CompiledFile) -> LintOutcome {
        let traces = self.recordings.zip(done.checked.as_ref()).map(|(all, checked)| evidence::traces(checked, all));
        compiler.run_lints(done, &self.settings, traces.as_deref(), today())
    }

    /// The text after its fixes.
    fn fixed(&self, unsafe_too: bool, project: &Project) -> FixResult {
        let mut look = |text: &str| {
            let mut compiler = Compiler::default();
            let mut done = compiler.compile(&self.name, text, &mut Files::around(&self.name));
            project.apply_profile(&mut done.checked);
            let mut found = self.advice(&compiler, &done).findings;
            found.extend(compiler.diagnostics().iter().filter(|one| one.primary.span.source == done.id).cloned());
            diagnostic::sort(&mut found);
            found
        };
        apply_fixes(&self.text, SourceId(0), unsafe_too, &mut look)
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
    ) -> Result<Vec<Work<'a>>, Failure> {
        let mut work = Vec::new();
        for path in paths {
            let name = input::display_name(path, self.stdin_filename.as_deref());
            match input::read_text(path) {
                Ok(text) => {
                    console.detail(&format!("{name}: {} lines", text.lines().count()));
                    let settings = self.settings(path, project)?;
                    work.push(Work { path: path.clone(), name, text, settings, recordings });
                }
                Err(reason) => found.unread(name, reason),
            }
        }
        Ok(work)
    }

    /// The settings of the project with those of the command line on top.
    fn settings(&self, path: &Path, project: &Project) -> Result<Settings, Failure> {
        let mut settings = project.settings(path);
        let said = |unsettled: SettingError| {
            let meant = unsettled.meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
            Failure::Message(format!("{}{meant}", unsettled.reason))
        };
        if !self.select.is_empty() {
            settings.select(&self.select).map_err(said)?;
        }
        for word in &self.extend_select {
            settings.extend(word).map_err(said)?;
        }
        for word in &self.ignore {
            settings.ignore(word).map_err(said)?;
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
        let open = || found.findings.iter().filter(|one| one.suppressed.is_none()).map(|one| &one.diagnostic);
        let mut failing = self.findings.failing(project.config.fail_level.unwrap_or(Severity::Warning));
        let warnings = open().filter(|one| one.severity == Severity::Warning).count();
        if let Some(most) = self.max_warnings {
            // A number of warnings says of them what the level would say.
            failing.retain(|one| *one != Severity::Warning);
            failing.extend((warnings > most).then_some(Severity::Warning));
        }
        let exit = if self.statistics {
            self.findings.count(found, &failing, console)?
        } else {
            self.findings.emit(found, &failing, console)?
        };
        if !self.statistics && !self.fix {
            self.tell_of_fixes(open(), console);
        }
        if let Some(most) = self.max_warnings.filter(|most| warnings > *most) {
            let said = if warnings == 1 { "1 warning is".to_owned() } else { format!("{warnings} warnings are") };
            console.note(&format!("{said} more than the {most} that --max-warnings allows"));
        }
        Ok(exit)
    }

    /// Says how many findings could be fixed, and how.
    fn tell_of_fixes<'d>(&self, open: impl Iterator<Item = &'d Diagnostic>, console: &Console) {
        let (mut safe, mut other) = (0, 0);
        for one in open {
            match one.fixes.first() {
                Some(fix) if fix.safe => safe += 1,
                Some(_) => other += 1,
                None => {}
            }
        }
        if self.findings.is_for_people() && safe + other > 0 {
            console.note(&match (safe, other) {
                (_, 0) => format!("{safe} can be fixed with --fix"),
                (0, _) => format!("{other} can be fixed with --fix --unsafe-fixes"),
                _ => format!("{safe} can be fixed with --fix, {other} more with --fix --unsafe-fixes"),
            });
        }
    }
}
