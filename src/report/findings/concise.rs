//! A line a finding, as editors and `grep` read it.

use super::{FindingFormat, Findings};
use crate::diagnostic::Diagnostic;
use crate::report::sanitize;

pub(super) static FORMAT: FindingFormat = FindingFormat { name: "concise", summary: "A line a finding", render };

fn render(all: &Findings<'_>) -> String {
    all.open().map(|one| sanitize::line(&line(all, one)) + "\n").collect()
}

fn line(all: &Findings<'_>, one: &Diagnostic) -> String {
    let (severity, code, message) = (one.severity.word(), one.code.id, &one.message);
    match all.place(one.primary.span) {
        Some(at) => format!("{}:{}:{}: {severity}[{code}] {message}", at.source.name(), at.from.line, at.from.column),
        None => format!("{severity}[{code}] {message}"),
    }
}
