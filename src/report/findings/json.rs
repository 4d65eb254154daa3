//! One JSON object; `trimtab schema findings` describes it.

use serde_json::{Value as Json, json};

use super::{Finding, FindingFormat, Findings};
use crate::diagnostic::{Diagnostic, Fix, Label, Severity};
use crate::source::Span;

pub(super) static FORMAT: FindingFormat = FindingFormat { name: "json", summary: "One JSON object", render };

fn render(all: &Findings<'_>) -> String {
    let suppressed = all.findings.iter().filter(|one| one.suppressed.is_some());
    let json = json!({
        "schema_version": 1,
        "diagnostics": all.open().map(|one| diagnostic(all, one)).collect::<Vec<_>>(),
        "suppressed": suppressed.map(|one| accepted(all, one)).collect::<Vec<_>>(),
        "summary": summary(all),
        "errors": unread(all),
    });
    format!("{json:#}\n")
}

/// How many files were looked at, and how many findings of each severity there are.
pub(crate) fn summary(all: &Findings<'_>) -> Json {
    json!({
        "files": all.files,
        "errors": all.count(Severity::Error),
        "warnings": all.count(Severity::Warning),
        "infos": all.count(Severity::Info),
    })
}

/// The files that could not be read.
pub(crate) fn unread(all: &Findings<'_>) -> Vec<Json> {
    all.unread.iter().map(|one| json!({ "file": one.file, "message": one.reason })).collect()
}

/// A finding that its author has accepted, with the reason.
fn accepted(all: &Findings<'_>, one: &Finding) -> Json {
    let mut json = diagnostic(all, &one.diagnostic);
    json["justification"] = json!(one.suppressed);
    json
}

/// One finding.
pub(super) fn diagnostic(all: &Findings<'_>, one: &Diagnostic) -> Json {
    let labels = std::iter::once(&one.primary).chain(&one.labels);
    json!({
        "code": one.code.id,
        "severity": one.severity,
        "message": one.message,
        "file": all.name(one.primary.span.source),
        "span": span(all, one.primary.span),
        "labels": labels.map(|one| label(all, one)).collect::<Vec<_>>(),
        "notes": one.notes,
        "help": one.help,
        "fixes": one.fixes.iter().map(|one| fix(all, one)).collect::<Vec<_>>(),
    })
}

fn label(all: &Findings<'_>, one: &Label) -> Json {
    json!({ "message": one.message, "file": all.name(one.span.source), "span": span(all, one.span) })
}

fn fix(all: &Findings<'_>, fix: &Fix) -> Json {
    let edits = fix.edits.iter().map(|edit| {
        let file = all.name(edit.span.source);
        json!({ "file": file, "start": edit.span.start, "end": edit.span.end, "text": edit.text })
    });
    json!({ "title": fix.title, "safe": fix.safe, "edits": edits.collect::<Vec<_>>() })
}

fn span(all: &Findings<'_>, span: Span) -> Json {
    let Some(at) = all.place(span) else { return Json::Null };
    json!({
        "line": at.from.line,
        "column": at.from.column,
        "end_line": at.to.line,
        "end_column": at.to.column,
        "start": span.start,
        "end": span.end,
    })
}
