//! Prints diagnostics of miette as the command line prints its findings.

use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, ReportHandler, SourceCode, SourceSpan};
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::sanitize;

use super::drawing::{Drawing, Snippet, Suggestion};
use super::encoding::Encoding;
use super::patch::Edit;
use super::policy_error::{FIX_SAFE, FIX_UNSAFE, MORE, NOTE};
use super::snippet::{Excerpt, Window};
use super::style::TerminalStyle;

/// Prints any diagnostic the way `trimtab` prints its findings.
///
/// Install it with `miette::set_hook`; a [`PolicyError`](super::PolicyError) is then printed with its notes and suggested
/// changes, too.
///
/// ```
/// use trimtab_report::report::{PolicyReportHandler, TerminalStyle};
///
/// let style = TerminalStyle { width: 80, color: false, unicode: true };
/// miette::set_hook(Box::new(move |_| Box::new(PolicyReportHandler::new(style)))).expect("no hook is installed yet");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PolicyReportHandler {
    style: TerminalStyle,
}

impl PolicyReportHandler {
    /// A handler for a terminal.
    pub const fn new(style: TerminalStyle) -> Self {
        Self { style }
    }

    /// The text of a diagnostic, and of those related to it.
    pub(super) fn render(&self, error: &dyn Diagnostic) -> String {
        Encoding::Text.finish(drawing(error, None).draw(self.style)).into_string()
    }
}

impl ReportHandler for PolicyReportHandler {
    fn debug(&self, error: &dyn Diagnostic, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if out.alternate() { std::fmt::Debug::fmt(error, out) } else { out.write_str(&self.render(error)) }
    }
}

/// The drawing of a diagnostic in its text, or in that of the one to which it is related.
fn drawing(error: &dyn Diagnostic, parent: Option<&dyn SourceCode>) -> Drawing {
    let source = error.source_code().or(parent);
    let mut drawing = Drawing {
        severity: severity(error),
        code: error.code().map(|code| sanitize::one_line(&code.to_string())),
        message: sanitize::one_line(&error.to_string()),
        snippets: snippet(error, source).into_iter().collect(),
        notes: causes(error),
        help: Vec::new(),
        more: None,
        fixes: Vec::new(),
        related: Vec::new(),
    };
    for line in error.help().map(|help| help.to_string()).unwrap_or_default().lines() {
        add_help(&mut drawing, line);
    }
    for related in error.related().into_iter().flatten() {
        add_related(&mut drawing, related, source);
    }
    drawing
}

fn add_help(drawing: &mut Drawing, line: &str) {
    let line = sanitize::one_line(line);
    match (line.strip_prefix(NOTE), line.strip_prefix(MORE)) {
        (Some(note), _) => drawing.notes.push(note.to_owned()),
        (_, Some(more)) => drawing.more = Some(more.to_owned()),
        _ => drawing.help.push(line),
    }
}

fn add_related(whole: &mut Drawing, diagnostic: &dyn Diagnostic, parent: Option<&dyn SourceCode>) {
    if let Some(fix) = suggestion(diagnostic, parent) {
        return whole.fixes.push(fix);
    }
    let mut related = drawing(diagnostic, parent);
    if is_only_labels(&related) {
        whole.snippets.append(&mut related.snippets);
    } else {
        whole.related.push(related);
    }
}

/// Whether it has only labels, as [`PolicyError`](super::PolicyError) encodes labels in other files.
fn is_only_labels(drawing: &Drawing) -> bool {
    let first = drawing.snippets.first().and_then(|snippet| snippet.labels.first());
    drawing.severity == Severity::Info
        && drawing.code.is_none()
        && drawing.help.is_empty()
        && first.is_some_and(|(_, label)| *label == drawing.message)
}

fn severity(error: &dyn Diagnostic) -> Severity {
    match error.severity() {
        None | Some(miette::Severity::Error) => Severity::Error,
        Some(miette::Severity::Warning) => Severity::Warning,
        Some(miette::Severity::Advice) => Severity::Info,
    }
}

/// The errors that led to this one.
fn causes(error: &dyn Diagnostic) -> Vec<String> {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.map(|cause| format!("caused by: {}", sanitize::one_line(&cause.to_string()))).collect()
}

/// The labels of a diagnostic, the primary one first.
fn snippet(error: &dyn Diagnostic, source: Option<&dyn SourceCode>) -> Option<Snippet> {
    let mut labels: Vec<LabeledSpan> = error.labels()?.collect();
    labels.sort_by_key(|label| !label.primary());
    let excerpt = excerpt(source?, &labels);
    let labels = labels.iter().map(|label| (range(label), sanitize::one_line(label.label().unwrap_or_default())));
    let labels: Vec<_> = labels.collect();
    (!excerpt.is_empty() && !labels.is_empty()).then_some(Snippet { excerpt, labels })
}

/// The change that a related diagnostic encodes, if it does.
fn suggestion(diagnostic: &dyn Diagnostic, parent: Option<&dyn SourceCode>) -> Option<Suggestion> {
    let code = diagnostic.code()?.to_string();
    let is_safe = code == FIX_SAFE;
    if !is_safe && code != FIX_UNSAFE {
        return None;
    }
    let title = sanitize::one_line(&diagnostic.to_string());
    let mut parts = vec![edits(diagnostic, parent)?];
    parts.extend(diagnostic.related().into_iter().flatten().filter_map(|part| edits(part, parent)));
    Some(Suggestion { title, is_safe, parts })
}

/// The replacements that the labels of a diagnostic encode.
fn edits(diagnostic: &dyn Diagnostic, parent: Option<&dyn SourceCode>) -> Option<(Excerpt, Vec<Edit>)> {
    let labels: Vec<LabeledSpan> = diagnostic.labels()?.collect();
    let excerpt = excerpt(diagnostic.source_code().or(parent)?, &labels);
    let edit = |label: &LabeledSpan| Edit { range: range(label), text: label.label().unwrap_or_default().to_owned() };
    Some((excerpt, labels.iter().map(edit).collect()))
}

fn range(label: &LabeledSpan) -> Range<usize> {
    label.offset()..label.offset() + label.len()
}

/// The lines of some spans and their neighbours. A span outside the text is skipped.
fn excerpt(code: &dyn SourceCode, labels: &[LabeledSpan]) -> Excerpt {
    let mut name = String::new();
    let mut windows = Vec::new();
    for label in labels {
        let span: SourceSpan = *label.inner();
        let Ok(contents) = code.read_span(&span, 1, 1) else { continue };
        let Ok(text) = std::str::from_utf8(contents.data()) else { continue };
        contents.name().unwrap_or_default().clone_into(&mut name);
        windows.push(Window::new(contents.span().offset(), contents.line(), text));
    }
    Excerpt::joined(name, windows)
}

#[cfg(test)]
mod tests {
    use miette::NamedSource;

    use super::*;

    #[test]
    fn a_span_outside_the_text_is_skipped() {
        let source = NamedSource::new("a.trim", "short".to_owned());
        assert!(excerpt(&source, &[LabeledSpan::underline((90, 5))]).is_empty());
        assert!(!excerpt(&source, &[LabeledSpan::underline((1, 2))]).is_empty());
    }
}
