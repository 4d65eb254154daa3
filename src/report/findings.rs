//! Findings put out, one file a form.
//!
//! In: findings with the texts they point into, and what the tool knows of itself. Out: one text in the form asked for.
//! A form is one file and two adjacent lines here: `mod` and the entry in `FORMS`.

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

pub(super) use github::{data, property};
pub(super) use json::{summary, unread};
pub(super) use markdown::escape;

use std::collections::BTreeMap;

use super::style::TerminalStyle;
use super::uri;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::{Position, Source, SourceId, SourceMap, Span};

/// A form in which findings are put out.
#[derive(Debug)]
pub struct FindingFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Who it is for.
    pub summary: &'static str,
    /// The text in this form.
    pub render: fn(&Findings<'_>) -> String,
}

/// The forms, in the order of the help; the first is what people get unasked.
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
pub fn draw(sources: &SourceMap, one: &Diagnostic, style: TerminalStyle) -> String {
    human::draw(sources, one, style)
}

/// The form of this name.
pub fn finding_format(name: &str) -> Option<&'static FindingFormat> {
    FINDING_FORMATS.iter().copied().find(|format| format.name == name)
}

/// A diagnostic, and whether its author has accepted it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was found.
    pub diagnostic: Diagnostic,
    /// Why it is accepted, when a comment in the source says so; such a finding is kept out of most forms.
    pub suppressed: Option<String>,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, suppressed: None }
    }
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadFile {
    /// The file as the user gave it.
    pub file: String,
    /// Why.
    pub reason: String,
}

/// All that the forms read.
#[derive(Clone, Copy, Debug)]
pub struct Findings<'a> {
    /// The texts.
    pub sources: &'a SourceMap,
    /// What was found in them, in the order in which it is put out.
    pub findings: &'a [Finding],
    /// The severities that fail the run.
    pub failing: &'a [Severity],
    /// Number of files that were looked at.
    pub files: usize,
    /// Files that could not be read.
    pub unread: &'a [UnreadFile],
    /// Every kind of finding that could have been given.
    pub rules: &'a [&'static Code],
    /// The version of the tool.
    pub version: &'static str,
    /// The folder to which paths in machine forms are relative, when they lie below it; empty if there is none.
    pub root: &'a str,
    /// The bytes of those paths that are not UTF-8.
    pub bytes: &'a BTreeMap<SourceId, Vec<u8>>,
    /// What the reader's screen can show.
    pub style: TerminalStyle,
    /// Whether the summary for people is left out.
    pub quiet: bool,
}

/// A span as lines and columns.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    source: &'a Source,
    from: Position,
    to: Position,
}

impl<'a> Findings<'a> {
    /// The findings that nobody has accepted.
    pub fn open(&self) -> impl Iterator<Item = &'a Diagnostic> {
        let findings: &'a [Finding] = self.findings;
        findings.iter().filter(|one| one.suppressed.is_none()).map(|one| &one.diagnostic)
    }

    /// Whether a finding fails the run.
    pub fn fails(&self, one: &Diagnostic) -> bool {
        self.failing.contains(&one.severity)
    }

    /// How many findings of this severity nobody has accepted.
    pub fn count(&self, severity: Severity) -> usize {
        self.open().filter(|one| one.severity == severity).count()
    }

    /// What was found, in one line.
    pub fn summary(&self) -> String {
        let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let files = plural(self.files, "file");
        let kinds = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "remark")];
        let counts = kinds.map(|(severity, noun)| (self.count(severity), noun));
        if counts.iter().all(|(count, _)| *count == 0) {
            return format!("{files} checked, nothing to complain about");
        }
        let said = counts.iter().enumerate().filter(|(at, (count, _))| *at < 2 || *count > 0);
        let said: Vec<String> = said.map(|(_, (count, noun))| plural(*count, noun)).collect();
        format!("{files} checked: {}", said.join(", "))
    }

    fn place(&self, span: Span) -> Option<Place<'a>> {
        let sources: &'a SourceMap = self.sources;
        let source = sources.get(span.source)?;
        Some(Place { source, from: source.position(span.start), to: source.position(span.end) })
    }

    /// The name of a file as people see it.
    fn name(&self, id: SourceId) -> &'a str {
        let sources: &'a SourceMap = self.sources;
        sources.get(id).map_or("", Source::name)
    }

    /// A path as hosts of repositories want it: below the root where it lies there, slashes forward.
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

/// What a finding says beyond its message, a line each.
fn said(one: &Diagnostic) -> Vec<String> {
    let notes = one.notes.iter().map(|note| format!("note: {note}"));
    let help = one.help.iter().map(|help| format!("help: {help}"));
    // Help that is missing is what the best fix does.
    let fix = one.fixes.first().filter(|_| one.help.is_none()).map(|fix| format!("help: {}", fix.title));
    notes.chain(help).chain(fix).collect()
}
