//! Findings in policies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::diagnostic::{Diagnostic, Fix, Label, Severity};
use trimtab_base::source::Span;

use super::SCHEMA_VERSION;
use crate::report::figure::number;
use crate::report::findings::{Finding, Findings, UnreadFile};

/// The result of `trimtab validate` and `trimtab lint`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingsResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The findings that no comment suppresses.
    pub diagnostics: Vec<FindingResult>,
    /// The findings that a comment suppresses.
    pub suppressed: Vec<SuppressedFinding>,
    /// How much was checked and found.
    pub summary: FindingCounts,
    /// The files that could not be read.
    pub errors: Vec<UnreadFile>,
}

/// The number of checked files, and the number of findings of each severity.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingCounts {
    /// The checked files.
    pub files: u64,
    /// The errors.
    pub errors: u64,
    /// The warnings.
    pub warnings: u64,
    /// The findings that are worth knowing.
    pub infos: u64,
}

/// A finding.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingResult {
    /// A stable id, such as E301 or the name of a lint.
    pub code: String,
    /// How grave it is.
    #[schemars(extend("enum" = Severity::ALL.map(Severity::word)))]
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// The file as it was given.
    pub file: String,
    /// Where it is wrong; null if it is about no text.
    pub span: Option<FindingSpan>,
    /// The places that explain it; the first is that of the finding.
    #[schemars(length(min = 1))]
    pub labels: Vec<FindingLabel>,
    /// Reasons and consequences.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// Suggested changes, the best first.
    pub fixes: Vec<FixResult>,
}

/// A finding that a comment suppresses.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SuppressedFinding {
    /// The finding.
    #[serde(flatten)]
    pub finding: FindingResult,
    /// The reason that the comment gives.
    pub justification: String,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingSpan {
    /// The first line, from 1.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// The first column in characters, from 1.
    #[schemars(range(min = 1))]
    pub column: u64,
    /// The last line, from 1.
    #[schemars(range(min = 1))]
    pub end_line: u64,
    /// The column after it, from 1.
    #[schemars(range(min = 1))]
    pub end_column: u64,
    /// The first byte, from 0.
    pub start: u32,
    /// The byte after it, from 0.
    pub end: u32,
}

/// A place that explains a finding.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FindingLabel {
    /// What is there.
    pub message: String,
    /// The file as it was given.
    pub file: String,
    /// The place; null if it is in no text.
    pub span: Option<FindingSpan>,
}

/// A suggested change.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FixResult {
    /// What it does.
    pub title: String,
    /// Whether it never changes what the policy does.
    pub safe: bool,
    /// The replacements, which do not overlap.
    #[schemars(length(min = 1))]
    pub edits: Vec<EditResult>,
}

/// A replacement of text.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EditResult {
    /// The file as it was given.
    pub file: String,
    /// The first byte that is replaced, from 0.
    pub start: u32,
    /// The byte after what is replaced; equal to `start` if the text is inserted.
    pub end: u32,
    /// The new text.
    pub text: String,
}

impl From<&Findings<'_>> for FindingsResult {
    fn from(all: &Findings<'_>) -> Self {
        let suppressed = all.findings.iter().filter_map(|finding| SuppressedFinding::of(all, finding));
        Self {
            schema_version: SCHEMA_VERSION,
            diagnostics: FindingResult::all(all).collect(),
            suppressed: suppressed.collect(),
            summary: FindingCounts::from(all),
            errors: all.unread.to_vec(),
        }
    }
}

impl From<&Findings<'_>> for FindingCounts {
    fn from(all: &Findings<'_>) -> Self {
        let count = |severity| number(all.count(severity));
        Self {
            files: number(all.files),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            infos: count(Severity::Info),
        }
    }
}

impl FindingResult {
    /// The findings that no comment suppresses.
    pub(in super::super) fn all(all: &Findings<'_>) -> impl Iterator<Item = Self> {
        all.unsuppressed().map(|finding| Self::of(all, finding))
    }

    fn of(all: &Findings<'_>, finding: &Diagnostic) -> Self {
        let labels = std::iter::once(&finding.primary).chain(&finding.labels);
        Self {
            code: finding.code.id.to_owned(),
            severity: finding.severity.word().to_owned(),
            message: finding.message.clone(),
            file: all.name(finding.primary.span.source).to_owned(),
            span: FindingSpan::of(all, finding.primary.span),
            labels: labels.map(|label| FindingLabel::of(all, label)).collect(),
            notes: finding.notes.clone(),
            help: finding.help.clone(),
            fixes: finding.fixes.iter().map(|fix| FixResult::of(all, fix)).collect(),
        }
    }
}

impl SuppressedFinding {
    fn of(all: &Findings<'_>, finding: &Finding) -> Option<Self> {
        let justification = finding.suppressed.clone()?;
        Some(Self { finding: FindingResult::of(all, &finding.diagnostic), justification })
    }
}

impl FindingSpan {
    fn of(all: &Findings<'_>, span: Span) -> Option<Self> {
        let at = all.place(span)?;
        Some(Self {
            line: number(at.from.line),
            column: number(at.from.column),
            end_line: number(at.to.line),
            end_column: number(at.to.column),
            start: span.start,
            end: span.end,
        })
    }
}

impl FindingLabel {
    fn of(all: &Findings<'_>, label: &Label) -> Self {
        Self {
            message: label.message.clone(),
            file: all.name(label.span.source).to_owned(),
            span: FindingSpan::of(all, label.span),
        }
    }
}

impl FixResult {
    fn of(all: &Findings<'_>, fix: &Fix) -> Self {
        let edits = fix.edits.iter().map(|edit| EditResult {
            file: all.name(edit.span.source).to_owned(),
            start: edit.span.start,
            end: edit.span.end,
            text: edit.text.clone(),
        });
        Self { title: fix.title.clone(), safe: fix.safe, edits: edits.collect() }
    }
}
