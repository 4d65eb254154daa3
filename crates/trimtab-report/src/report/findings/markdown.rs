//! Findings as a Markdown table, for a job summary or a comment.

use trimtab_base::diagnostic::Diagnostic;

use super::{FindingFormat, Findings, notes_and_help};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, escape, lines};

pub(super) static FORMAT: FindingFormat = FindingFormat {
    name: "markdown",
    summary: "A Markdown table, for a job summary",
    encoding: Encoding::Text,
    render,
};

fn render(all: &Findings<'_>) -> String {
    let mut out = format!("### Trimtab\n\n{}\n", all.summary());
    let mut table = Table::new(["severity", "code", "place", "finding"].map(|name| (name, Align::Left)));
    all.unsuppressed().for_each(|finding| table.row(row(all, finding)));
    out.extend(table.unless_empty().map(|table| format!("\n{table}")));
    for file in all.unread {
        out += &format!("\nNot read: {}: {}\n", escape(&file.file), escape(&file.message));
    }
    out
}

fn row(all: &Findings<'_>, finding: &Diagnostic) -> [String; 4] {
    let place = all.place(finding.primary.span).map_or_else(String::new, |at| {
        let path = all.path(finding.primary.span.source);
        escape(&format!("{path}:{}:{}", at.from.line, at.from.column))
    });
    let text = lines([vec![finding.message.clone()], notes_and_help(finding)].concat());
    [finding.severity.word().to_owned(), finding.code.id.to_owned(), place, text]
}
