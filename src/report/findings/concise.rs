//! A line a finding, as editors and `grep` read it.

use super::{Findings, Form};
use crate::diagnostic::Diagnostic;
use crate::report::tame;

pub(super) static FORM: Form = Form { name: "concise", summary: "A line a finding", render };

fn render(all: &Findings<'_>) -> String {
    all.open().map(|one| tame::text(&line(all, one)) + "\n").collect()
}

fn line(all: &Findings<'_>, one: &Diagnostic) -> String {
    let (severity, code, message) = (one.severity.word(), one.code.id, &one.message);
    match all.place(one.primary.span) {
        Some(at) => format!("{}:{}:{}: {severity}[{code}] {message}", at.source.name(), at.from.line, at.from.column),
        None => format!("{severity}[{code}] {message}"),
    }
}
