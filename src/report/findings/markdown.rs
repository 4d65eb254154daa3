//! Findings as a Markdown table, for a job summary or a comment.

use super::{FindingFormat, Findings, notes_and_help};
use crate::diagnostic::Diagnostic;
use crate::report::markdown::{Align, Table, escape, lines};

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "markdown", summary: "A Markdown table, for a job summary", render };

fn render(all: &Findings<'_>) -> String {
    let mut out = format!("### Trimtab\n\n{}\n", all.summary());
    let mut table = Table::new(["severity", "code", "place", "finding"].map(|name| (name, Align::Left)));
    all.unsuppressed().for_each(|one| table.row(row(all, one)));
    out.extend(table.unless_empty().map(|table| format!("\n{table}")));
    for one in all.unread {
        out += &format!("\nNot read: {}: {}\n", escape(&one.file), escape(&one.reason));
    }
    out
}

fn row(all: &Findings<'_>, one: &Diagnostic) -> [String; 4] {
    let place = all.place(one.primary.span).map_or_else(String::new, |at| {
        let path = all.path(one.primary.span.source);
        escape(&format!("{path}:{}:{}", at.from.line, at.from.column))
    });
    let text = lines([vec![one.message.clone()], notes_and_help(one)].concat());
    [one.severity.word().to_owned(), one.code.id.to_owned(), place, text]
}
