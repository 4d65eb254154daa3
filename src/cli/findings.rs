//! Reports findings in an output format and decides the exit code.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Args, ValueEnum};
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{SourceId, SourceMap};
use trimtab_report::report::{self, Encoding, FINDING_FORMATS, Finding, FindingFormat, Findings, Rendered, UnreadFile};

use super::Exit;
use super::choice::choice;
use super::console::{Console, Failure};
use crate::pipeline::Compiler;

/// Arguments of each subcommand that reports findings.
#[derive(Args, Debug)]
pub(super) struct FindingsArguments {
    /// The output format [default: human, or github in a GitHub workflow]
    #[arg(long, value_parser = choice(FINDING_FORMATS, |format| (format.name, format.summary)))]
    format: Option<&'static FindingFormat>,
    /// The lowest severity that exits with code 1 [default: error]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_level: Option<Level>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Errors only
    Error,
    /// Errors and warnings
    Warning,
    /// All findings
    Info,
}

/// The findings of a subcommand, and the texts that they point into.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The texts.
    pub(super) sources: SourceMap,
    /// The findings in the order in which they are reported.
    pub(super) findings: Vec<Finding>,
    /// Files that could not be read; an error was printed for each.
    pub(super) unread: Vec<UnreadFile>,
    /// How many files were checked, if not all texts were.
    pub(super) files: Option<usize>,
    /// The bytes of paths that are not UTF-8.
    bytes: BTreeMap<SourceId, Vec<u8>>,
}

impl Report {
    /// Keeps the bytes of a path that is not UTF-8, for machine formats.
    pub(super) fn keep_path(&mut self, path: &Path, id: SourceId) {
        if path.to_str().is_none() {
            self.bytes.insert(id, path.as_os_str().as_encoded_bytes().to_vec());
        }
    }

    /// Takes the texts and the findings of a compiler.
    pub(super) fn take(&mut self, compiler: Compiler) {
        let (sources, found) = compiler.finish();
        self.sources = sources;
        self.findings.extend(found.into_iter().map(Finding::from));
    }

    /// Prints that a file cannot be read, and keeps it for machine formats.
    pub(super) fn unread(&mut self, file: String, reason: String, console: &Console) {
        console.error(&format!("error: cannot read {file}: {reason}"));
        self.unread.push(UnreadFile { file, message: reason });
    }
}

impl FindingsArguments {
    /// The severities that fail the run: `--fail-level` and worse, by default `usual` and worse.
    pub(super) fn failing(&self, usual: Severity) -> Vec<Severity> {
        let least = match self.fail_level {
            None => usual,
            Some(Level::Error) => Severity::Error,
            Some(Level::Warning) => Severity::Warning,
            Some(Level::Info) => Severity::Info,
        };
        // Severities are ordered from the worst.
        [Severity::Error, Severity::Warning, Severity::Info].into_iter().filter(|severity| *severity <= least).collect()
    }

    /// Writes the findings in the chosen format. Returns `Exit::Findings` if one of them fails the run.
    pub(super) fn emit(&self, found: &Report, failing: &[Severity], console: &mut Console) -> Result<Exit, Failure> {
        emit_with(found, failing, console, |all, console| Ok(self.format(console).render(all)))
    }

    /// Writes the number of findings of each code.
    pub(super) fn emit_statistics(
        &self,
        found: &Report,
        failing: &[Severity],
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        emit_with(found, failing, console, |all, _| match self.format.map(|form| form.name) {
            None | Some("human" | "plain") => Ok(Rendered::from(&report::statistics(all))),
            Some("json") => Ok(Encoding::Json.finish(report::statistics_json(all))),
            Some(other) => {
                Err(Failure::Message(format!("--statistics supports the formats human, plain and json, not {other}")))
            }
        })
    }

    /// Whether the format is for people.
    pub(super) fn is_for_people(&self) -> bool {
        self.format.is_none_or(|form| ["human", "plain"].contains(&form.name))
    }

    /// The chosen format, else that of the environment.
    fn format(&self, console: &Console) -> &'static FindingFormat {
        let in_workflow = || std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        match self.format {
            Some(form) => form,
            None if in_workflow() && !console.has_file() => {
                console.note(
                    "note: GITHUB_ACTIONS is set, so findings are printed as annotations; use --format to change this",
                );
                report::finding_format("github").unwrap_or(FINDING_FORMATS[0])
            }
            None => FINDING_FORMATS[0],
        }
    }
}

/// Writes findings with `render` and returns how the subcommand ends.
fn emit_with(
    found: &Report,
    failing: &[Severity],
    console: &mut Console,
    render: impl FnOnce(&Findings<'_>, &Console) -> Result<Rendered, Failure>,
) -> Result<Exit, Failure> {
    let codes = report::rules();
    let root = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    let all = Findings {
        sources: &found.sources,
        findings: &found.findings,
        failing,
        files: found.files.unwrap_or_else(|| found.sources.iter().count()),
        unread: &found.unread,
        codes: &codes,
        version: env!("CARGO_PKG_VERSION"),
        root: &root,
        bytes: &found.bytes,
        style: console.style,
        quiet: console.is_quiet(),
    };
    console.write(render(&all, console)?)?;
    Ok(if all.unsuppressed().any(|finding| all.fails(finding)) { Exit::Findings } else { Exit::Success })
}
