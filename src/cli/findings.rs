//! Findings put out by a verb: the form, the file, and how the verb ends.

use std::collections::BTreeMap;
use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::Exit;
use super::console::{Console, Failure};
use crate::diagnostic::Severity;
use crate::pipeline::Compiler;
use crate::report::{self, FINDING_FORMATS, Finding, FindingFormat, Findings, UnreadFile};
use crate::source::{SourceId, SourceMap};

/// Arguments of each verb that puts out findings.
#[derive(Args, Debug)]
pub(super) struct FindingsArguments {
    /// The form of the result [default: human, in a workflow of GitHub github]
    #[arg(long, value_parser = forms())]
    format: Option<&'static FindingFormat>,
    /// The least severity that ends with exit code 1 [default: error]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    fail_level: Option<Level>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    /// Only what cannot be used
    Error,
    /// Also what probably does not do what its author wants
    Warning,
    /// Everything
    Info,
}

fn forms() -> impl TypedValueParser<Value = &'static FindingFormat> {
    let names = FINDING_FORMATS.iter().map(|form| PossibleValue::new(form.name).help(form.summary));
    PossibleValuesParser::new(names).map(|name| report::finding_format(&name).unwrap_or(FINDING_FORMATS[0]))
}

/// What a verb has found, and in which texts.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The texts.
    pub(super) sources: SourceMap,
    /// The findings, in the order in which they are put out.
    pub(super) findings: Vec<Finding>,
    /// Files that could not be read; they have been complained about already.
    pub(super) unread: Vec<UnreadFile>,
    /// How many files were looked at, where files that they use were not; else all texts were.
    pub(super) files: Option<usize>,
    /// The bytes of paths that are not UTF-8.
    bytes: BTreeMap<SourceId, Vec<u8>>,
}

impl Report {
    /// Notes the path of a text, whose bytes the machine forms need when they are not UTF-8.
    pub(super) fn note(&mut self, path: &Path, id: SourceId) {
        if path.to_str().is_none() {
            self.bytes.insert(id, path.as_os_str().as_encoded_bytes().to_vec());
        }
    }

    /// Takes over the texts of a compiler and what it found in them.
    pub(super) fn take(&mut self, compiler: Compiler) {
        let (sources, found) = compiler.finish();
        self.sources = sources;
        self.findings.extend(found.into_iter().map(Finding::from));
    }

    /// Says that a file cannot be read, and keeps it for the machine forms.
    pub(super) fn unread(&mut self, file: String, reason: String) {
        Console::print_error(&format!("error: cannot read {file}: {reason}"));
        self.unread.push(UnreadFile { file, reason });
    }
}

impl FindingsArguments {
    /// The severities that fail a run: from `--fail-level` on, or from `usual` on when that is not given.
    pub(super) fn failing(&self, usual: Severity) -> Vec<Severity> {
        let least = match self.fail_level {
            None => usual,
            Some(Level::Error) => Severity::Error,
            Some(Level::Warning) => Severity::Warning,
            Some(Level::Info) => Severity::Info,
        };
        // The order of severities begins with the worst.
        [Severity::Error, Severity::Warning, Severity::Info].into_iter().filter(|one| *one <= least).collect()
    }

    /// Writes the findings in the form asked for. The end is `Exit::Findings` when one of them fails the run.
    pub(super) fn emit(&self, found: &Report, failing: &[Severity], console: &mut Console) -> Result<Exit, Failure> {
        written(found, failing, console, |all, console| Ok((self.form(console).render)(all)))
    }

    /// Writes how often each code was found.
    pub(super) fn count(&self, found: &Report, failing: &[Severity], console: &mut Console) -> Result<Exit, Failure> {
        written(found, failing, console, |all, _| match self.format.map(|form| form.name) {
            None | Some("human" | "plain") => Ok(report::statistics(all)),
            Some("json") => Ok(format!("{:#}\n", report::statistics_json(all))),
            Some(other) => {
                Err(Failure::Message(format!("--statistics has the forms human, plain and json, not {other}")))
            }
        })
    }

    /// Whether the form is one for people.
    pub(super) fn is_for_people(&self) -> bool {
        self.format.is_none_or(|form| ["human", "plain"].contains(&form.name))
    }

    /// The form asked for, else the one of the place where this runs.
    fn form(&self, console: &Console) -> &'static FindingFormat {
        let in_workflow = || std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        match self.format {
            Some(form) => form,
            None if in_workflow() && !console.has_file() => {
                console.note("note: GITHUB_ACTIONS is set, so findings are annotations; --format says otherwise");
                report::finding_format("github").unwrap_or(FINDING_FORMATS[0])
            }
            None => FINDING_FORMATS[0],
        }
    }
}

/// Writes findings as `render` has it, and says how the verb ends.
fn written(
    found: &Report,
    failing: &[Severity],
    console: &mut Console,
    render: impl FnOnce(&Findings<'_>, &Console) -> Result<String, Failure>,
) -> Result<Exit, Failure> {
    let rules = report::rules();
    let root = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    let all = Findings {
        sources: &found.sources,
        findings: &found.findings,
        failing,
        files: found.files.unwrap_or_else(|| found.sources.iter().count()),
        unread: &found.unread,
        rules: &rules,
        version: env!("CARGO_PKG_VERSION"),
        root: &root,
        bytes: &found.bytes,
        style: console.style,
        quiet: console.is_quiet(),
    };
    console.write(&render(&all, console)?)?;
    Ok(if all.open().any(|one| all.fails(one)) { Exit::Findings } else { Exit::Success })
}
