//! Diagnostics for machines.

use serde_json::{Value as Json, json};

use crate::diagnostic::{Diagnostic, Fix, Label, Severity};
use crate::source::{SourceMap, Span};

/// The JSON form of the findings of some files.
pub fn diagnostics_json(sources: &SourceMap, diagnostics: &[Diagnostic], files: usize) -> Json {
    let count = |severity| diagnostics.iter().filter(|one| one.severity == severity).count();
    json!({
        "schema_version": 1,
        "diagnostics": diagnostics.iter().map(|one| diagnostic(sources, one)).collect::<Vec<_>>(),
        "summary": {
            "files": files,
            "errors": count(Severity::Error),
            "warnings": count(Severity::Warning),
            "infos": count(Severity::Info),
        },
    })
}

fn diagnostic(sources: &SourceMap, one: &Diagnostic) -> Json {
    let labels = std::iter::once(&one.primary).chain(&one.labels);
    json!({
        "code": one.code.id,
        "severity": one.severity,
        "message": one.message,
        "file": file(sources, one.primary.span),
        "span": span(sources, one.primary.span),
        "labels": labels
            .map(|place| label(sources, place, one.primary.span))
            .collect::<Vec<_>>(),
        "help": one.help,
        "fixes": one.fixes.iter().map(|one| fix(sources, one)).collect::<Vec<_>>(),
    })
}

/// A place; its file is named when it is another than that of the finding.
fn label(sources: &SourceMap, label: &Label, primary: Span) -> Json {
    let mut json = json!({ "message": label.message, "span": span(sources, label.span) });
    if label.span.source != primary.source {
        json["file"] = json!(file(sources, label.span));
    }
    json
}

fn fix(sources: &SourceMap, fix: &Fix) -> Json {
    let edits = fix.edits.iter().map(|edit| {
        json!({ "file": file(sources, edit.span), "start": edit.span.start, "end": edit.span.end, "text": edit.text })
    });
    json!({ "title": fix.title, "safe": fix.safe, "edits": edits.collect::<Vec<_>>() })
}

fn file(sources: &SourceMap, span: Span) -> &str {
    sources.get(span.source).map_or("", |source| source.name())
}

fn span(sources: &SourceMap, span: Span) -> Json {
    let Some(source) = sources.get(span.source) else { return Json::Null };
    let (from, to) = (source.position(span.start), source.position(span.end));
    json!({
        "line": from.line,
        "column": from.column,
        "end_line": to.line,
        "end_column": to.column,
        "start": span.start,
        "end": span.end,
    })
}
