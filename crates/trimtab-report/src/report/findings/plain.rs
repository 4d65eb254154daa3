//! Findings as sentences, for screen readers: no frames, no underlines, no colour.

use trimtab_base::diagnostic::{Diagnostic, Fix, Label, Severity, TextEdit};
use trimtab_base::source::sanitize;
use trimtab_base::source::{Position, Source};

use super::{FindingFormat, Findings, SourceRange};
use crate::report::Encoding;
use crate::report::snippet;

pub(super) static FORMAT: FindingFormat = FindingFormat {
    name: "plain",
    summary: "Findings in sentences, for screen readers",
    encoding: Encoding::Text,
    render,
};

/// Most fixes that are printed of one finding.
const MAX_FIXES: usize = 5;

fn render(all: &Findings<'_>) -> String {
    let found: String = all.unsuppressed().map(|diagnostic| finding(all, diagnostic) + "\n").collect();
    let summary = if all.quiet || all.files == 0 { String::new() } else { all.summary() + ".\n" };
    found + &summary
}

fn finding(all: &Findings<'_>, finding: &Diagnostic) -> String {
    let kind = match finding.severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Info => "Info",
    };
    let mut lines = Vec::new();
    match all.place(finding.primary.span) {
        None => lines.push(format!("{kind} {}: {}", finding.code.id, finding.message)),
        Some(at) => {
            lines.push(format!(
                "{kind} {} in {}, {}: {}",
                finding.code.id,
                at.source.name(),
                place(at.from),
                finding.message
            ));
            lines.push(format!("Line {} reads: {}", at.from.line, line(at.source, at.from.line, finding).trim()));
        }
    }
    let labels = std::iter::once(&finding.primary).chain(&finding.labels).filter(|label| !label.message.is_empty());
    lines.extend(labels.filter_map(|label| self::label(all, finding, label)));
    lines.extend(finding.notes.iter().map(|note| format!("Note: {note}")));
    lines.extend(finding.help.iter().map(|help| format!("Help: {help}")));
    lines.extend(finding.fixes.iter().take(MAX_FIXES).map(|suggestion| fix(all, suggestion)));
    lines.extend(
        (finding.fixes.len() > MAX_FIXES).then(|| format!("And {} more suggestions", finding.fixes.len() - MAX_FIXES)),
    );
    lines.push(format!("More: trimtab explain {}", finding.code.id));
    lines.iter().map(|line| sanitize::one_line(line) + "\n").collect()
}

/// The line of a finding, or the surroundings of the finding if the line is very long.
fn line<'a>(source: &'a Source, number: usize, finding: &Diagnostic) -> &'a str {
    let (text, start) = (source.line(number), source.line_start(number));
    let span = finding.primary.span.range();
    let place = |at: usize| at.saturating_sub(start).min(text.len());
    text.get(snippet::shorten_lines(text, 0..text.len(), place(span.start)..place(span.end))).unwrap_or_default()
}

fn place(at: Position) -> String {
    format!("line {}, column {}", at.line, at.column)
}

fn label(all: &Findings<'_>, finding: &Diagnostic, label: &Label) -> Option<String> {
    let at = all.place(label.span)?;
    let elsewhere = label.span.source != finding.primary.span.source;
    let file = if elsewhere { format!("In {}, at ", at.source.name()) } else { "At ".to_owned() };
    let text = at.source.slice(label.span);
    let quoted = if text.is_empty() || text.contains('\n') { String::new() } else { format!(", {}", quoted(text)) };
    Some(format!("{file}{}{}{quoted}: {}", place(at.from), until(at), label.message))
}

/// Where a span ends, if that is on another line.
fn until(at: SourceRange<'_>) -> String {
    if at.from.line == at.to.line { String::new() } else { format!(" to {}", place(at.to)) }
}

fn fix(all: &Findings<'_>, fix: &Fix) -> String {
    let edits: Vec<String> = fix.edits.iter().filter_map(|change| edit(all, change)).collect();
    let kind = if fix.safe { "safe" } else { "unsafe" };
    format!("Suggested edit, {kind}, {}: {}", fix.title, edits.join("; then "))
}

/// One replacement in words.
fn edit(all: &Findings<'_>, edit: &TextEdit) -> Option<String> {
    let at = all.place(edit.span)?;
    let (old, new, place) = (at.source.slice(edit.span), edit.text.as_str(), place(at.from));
    Some(match (old.is_empty(), new.is_empty()) {
        (true, _) => format!("at {place}, insert {}", quoted(new)),
        (false, true) => format!("at {place}, delete {}", quoted(old)),
        (false, false) => format!("at {place}, replace {} by {}", quoted(old), quoted(new)),
    })
}

/// A text between backticks, its line breaks in words.
fn quoted(text: &str) -> String {
    let parts = text.split('\n').map(|line| match sanitize::one_line(line) {
        line if line.is_empty() => line,
        line => format!("`{line}`"),
    });
    let mut words: Vec<String> = Vec::new();
    for (at, part) in parts.enumerate() {
        words.extend((at > 0).then(|| "a line break".to_owned()));
        words.extend(Some(part).filter(|part| !part.is_empty()));
    }
    words.join(", then ")
}
