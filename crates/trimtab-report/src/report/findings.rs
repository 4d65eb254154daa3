//! Findings in every output format, one file a format.
//!
//! A format is one file and two lines here: `mod` and the entry in [`FINDING_FORMATS`].

mod concise;
mod github;
mod gitlab;
mod human;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod plain;
mod sarif;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::{Position, Source, SourceId, SourceMap, Span};

use super::encoding::{Encoding, Rendered};
use super::number::plural;
use super::style::TerminalStyle;
use super::uri;

/// An output format of findings.
#[derive(Debug)]
pub struct FindingFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Who it is for.
    pub summary: &'static str,
    /// How it escapes invisible and control characters.
    encoding: Encoding,
    /// The findings in this format.
    render: fn(&Findings<'_>) -> String,
}

impl FindingFormat {
    /// Renders findings and escapes them for this format.
    pub fn render(&self, all: &Findings<'_>) -> Rendered {
        self.encoding.finish((self.render)(all))
    }
}

/// The formats, in the order of the help; the first is the default.
pub static FINDING_FORMATS: &[&FindingFormat] = &[
    &human::FORMAT,
    &plain::FORMAT,
    &concise::FORMAT,
    &json::FORMAT,
    &jsonl::FORMAT,
    &sarif::FORMAT,
    &junit::FORMAT,
    &github::FORMAT,
    &gitlab::FORMAT,
    &markdown::FORMAT,
];

/// One diagnostic for a terminal.
pub fn draw(sources: &SourceMap, finding: &Diagnostic, style: TerminalStyle) -> Rendered {
    Encoding::Text.finish(human::draw(sources, finding, style))
}

/// The format with this name.
pub fn finding_format(name: &str) -> Option<&'static FindingFormat> {
    FINDING_FORMATS.iter().copied().find(|format| format.name == name)
}

/// A diagnostic, and whether a comment suppresses it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was found.
    pub diagnostic: Diagnostic,
    /// The reason given by the comment that suppresses it. Most formats leave out suppressed findings.
    pub suppressed: Option<String>,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, suppressed: None }
    }
}

/// A file that could not be read.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct UnreadFile {
    /// The file as the user gave it.
    pub file: String,
    /// Why it could not be read.
    pub message: String,
}

/// Everything that the formats read.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// The texts.
    pub sources: &'a SourceMap,
    /// The findings in the order in which they are reported.
    pub findings: &'a [Finding],
    /// The severities that fail the run.
    pub failing: &'a [Severity],
    /// How many files were checked.
    pub files: usize,
    /// Files that could not be read.
    pub unread: &'a [UnreadFile],
    /// The codes of all lints and errors.
    pub codes: &'a [&'static Code],
    /// The version of the tool.
    pub version: &'static str,
    /// The directory to which paths below it are relative in machine formats; empty if there is none.
    pub root: &'a str,
    /// The bytes of those paths that are not UTF-8.
    pub bytes: &'a BTreeMap<SourceId, Vec<u8>>,
    /// What the reader's terminal can show.
    pub style: TerminalStyle,
    /// Whether the human-readable summary is omitted.
    pub quiet: bool,
}

/// A span as lines and columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceRange<'a> {
    source: &'a Source,
    pub(super) from: Position,
    pub(super) to: Position,
}

impl<'a> Findings<'a> {
    /// The findings that no comment suppresses.
    pub fn unsuppressed(&self) -> impl Iterator<Item = &'a Diagnostic> {
        let findings: &'a [Finding] = self.findings;
        findings.iter().filter(|finding| finding.suppressed.is_none()).map(|finding| &finding.diagnostic)
    }

    /// Whether a finding fails the run.
    pub fn fails(&self, finding: &Diagnostic) -> bool {
        self.failing.contains(&finding.severity)
    }

    /// How many unsuppressed findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.unsuppressed().filter(|finding| finding.severity == severity).count()
    }

    /// The number of files and findings, in one line.
    pub fn summary(&self) -> String {
        let files = plural(self.files, "file");
        let kinds = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info message")];
        let counts = kinds.map(|(severity, noun)| (self.count(severity), noun));
        if counts.iter().all(|(count, _)| *count == 0) {
            return format!("{files} checked, no problems found");
        }
        let shown = counts.iter().enumerate().filter(|(at, (count, _))| *at < 2 || *count > 0);
        let shown: Vec<String> = shown.map(|(_, (count, noun))| plural(*count, noun)).collect();
        format!("{files} checked: {}", shown.join(", "))
    }

    pub(super) fn place(&self, span: Span) -> Option<SourceRange<'a>> {
        let sources: &'a SourceMap = self.sources;
        let source = sources.get(span.source)?;
        Some(SourceRange { source, from: source.position(span.start), to: source.position(span.end) })
    }

    /// The displayed name of a file.
    pub(super) fn name(&self, id: SourceId) -> &'a str {
        let sources: &'a SourceMap = self.sources;
        sources.get(id).map_or("", Source::name)
    }

    /// A path for code hosting sites: relative to the root where it is below it, with forward slashes.
    fn path(&self, id: SourceId) -> String {
        uri::path(self.name(id), self.root, cfg!(windows))
    }

    /// A path as a URI reference.
    fn uri(&self, id: SourceId) -> String {
        match self.bytes.get(&id) {
            Some(bytes) => uri::encode(bytes),
            None => uri::reference(self.name(id), self.root, cfg!(windows)),
        }
    }
}

/// The notes and the help of a finding, a line each.
fn notes_and_help(finding: &Diagnostic) -> Vec<String> {
    let notes = finding.notes.iter().map(|note| format!("note: {note}"));
    let help = finding.help.iter().map(|help| format!("help: {help}"));
    // Without help, the title of the best fix serves as help.
    let fix = finding.fixes.first().filter(|_| finding.help.is_none()).map(|fix| format!("help: {}", fix.title));
    notes.chain(help).chain(fix).collect()
}
