//! A Markdown table, for the summary of a job or a comment.

use super::{FindingFormat, Findings, said};
use crate::diagnostic::Diagnostic;
use crate::report::sanitize;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "markdown", summary: "A Markdown table, for the summary of a job", render };

fn render(all: &Findings<'_>) -> String {
    let mut out = format!("### Trimtab\n\n{}\n", all.summary());
    let rows: String = all.open().map(|one| row(all, one)).collect();
    if !rows.is_empty() {
        out += &format!("\n| severity | code | place | finding |\n|---|---|---|---|\n{rows}");
    }
    for one in all.unread {
        out += &format!("\nNot read: {}: {}\n", escape(&one.file), escape(&one.reason));
    }
    out
}

fn row(all: &Findings<'_>, one: &Diagnostic) -> String {
    let place = all.place(one.primary.span).map_or_else(String::new, |at| {
        let path = all.path(one.primary.span.source);
        escape(&format!("{path}:{}:{}", at.from.line, at.from.column))
    });
    let lines = [vec![one.message.clone()], said(one)].concat();
    let text: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    format!("| {} | {} | {place} | {} |\n", one.severity.word(), one.code.id, text.join("<br>"))
}

/// A text for a cell. Between backticks only the pipe has a meaning; elsewhere all that Markdown would take for markup.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_code = false;
    let pairs = text.matches('`').count() / 2 * 2;
    let mut ticks = 0;
    for sign in text.chars() {
        match sign {
            '`' if ticks < pairs => {
                ticks += 1;
                is_code = !is_code;
                out.push('`');
            }
            '|' => out += "\\|",
            '\n' | '\r' | '\t' => out.push(' '),
            sign if sanitize::is_unsafe(sign) => out.push('\u{fffd}'),
            '<' if !is_code => out += "&lt;",
            '&' if !is_code => out += "&amp;",
            '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' if !is_code => {
                out.push('\\');
                out.push(sign);
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_outside_code_and_pipes_everywhere() {
        assert_eq!(escape("a|b `c|d_e <x>` <y> _z_"), "a\\|b `c\\|d_e <x>` &lt;y> \\_z\\_");
        assert_eq!(escape("one ` alone"), "one \\` alone");
        assert_eq!(escape("two\nlines"), "two lines");
    }
}
