//! One JSON object; `trimtab schema findings` describes it.

use serde_json::{Value as Json, json};
use trimtab_base::diagnostic::{Diagnostic, Fix, Label, Severity};
use trimtab_base::source::Span;

use super::{Finding, FindingFormat, Findings};
use crate::report::Encoding;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, render };

fn render(all: &Findings<'_>) -> String {
    let suppressed = all.findings.iter().filter(|finding| finding.suppressed.is_some());
    let json = json!({
        "schema_version": 1,
        "diagnostics": all.unsuppressed().map(|finding| diagnostic(all, finding)).collect::<Vec<_>>(),
        "suppressed": suppressed.map(|finding| suppressed_diagnostic(all, finding)).collect::<Vec<_>>(),
        "summary": summary(all),
        "errors": unread(all),
    });
    format!("{json:#}\n")
}

/// How many files were checked, and how many findings of each severity there are.
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
    all.unread.iter().map(|finding| json!({ "file": finding.file, "message": finding.reason })).collect()
}

/// A suppressed finding with the reason.
fn suppressed_diagnostic(all: &Findings<'_>, finding: &Finding) -> Json {
    let mut json = diagnostic(all, &finding.diagnostic);
    json["justification"] = json!(finding.suppressed);
    json
}

/// One finding.
pub(super) fn diagnostic(all: &Findings<'_>, finding: &Diagnostic) -> Json {
    let labels = std::iter::once(&finding.primary).chain(&finding.labels);
    json!({
        "code": finding.code.id,
        "severity": finding.severity,
        "message": finding.message,
        "file": all.name(finding.primary.span.source),
        "span": span(all, finding.primary.span),
        "labels": labels.map(|each| label(all, each)).collect::<Vec<_>>(),
        "notes": finding.notes,
        "help": finding.help,
        "fixes": finding.fixes.iter().map(|suggestion| fix(all, suggestion)).collect::<Vec<_>>(),
    })
}

fn label(all: &Findings<'_>, label: &Label) -> Json {
    json!({ "message": label.message, "file": all.name(label.span.source), "span": span(all, label.span) })
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
