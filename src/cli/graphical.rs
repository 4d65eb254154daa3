//! Diagnostics for people, drawn by miette.

use std::fmt::{self, Display};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, NarratableReportHandler,
    SourceCode, SourceSpan, SpanContents,
};

use crate::diagnostic::{Diagnostic, Fix, Label, Severity};
use crate::report::Look;
use crate::source::{Source, SourceMap};

/// A text of which whole lines are shown, and no lines around them.
struct Lines<'a> {
    name: &'a str,
    text: &'a str,
}

impl SourceCode for Lines<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (from, to) = (span.offset().min(self.text.len()), (span.offset() + span.len()).min(self.text.len()));
        let start = self.text[..from].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[to..].find('\n').map_or(self.text.len(), |at| to + at);
        let whole = SourceSpan::new(start.into(), end - start);
        let lines = self.text.read_span(&whole, 0, 0)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.to_owned(),
            lines.data(),
            *lines.span(),
            lines.line(),
            self.text[start..from].chars().count(),
            lines.line_count(),
        )))
    }
}

/// A finding with its source text, as miette wants it.
struct Drawn<'a> {
    one: &'a Diagnostic,
    source: Lines<'a>,
    help: Option<String>,
}

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, out)
    }
}

impl Display for Drawn<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.one.message)
    }
}

impl std::error::Error for Drawn<'_> {}

impl miette::Diagnostic for Drawn<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(format!("{}[{}]", self.one.severity.word(), self.one.code.id)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.one.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = |label: &Label| SourceSpan::new((label.span.start as usize).into(), label.span.range().len());
        let text = |label: &Label| Some(label.message.clone()).filter(|text| !text.is_empty());
        let primary = LabeledSpan::new_primary_with_span(text(&self.one.primary), place(&self.one.primary));
        let others = self.one.labels.iter().filter(|label| label.span.source == self.one.primary.span.source);
        let others = others.map(move |label| LabeledSpan::new_with_span(text(label), place(label)));
        Some(Box::new(std::iter::once(primary).chain(others)))
    }
}

/// One finding with the text around it. `plain` is for screen readers: no boxes, no colour.
pub(super) fn draw(sources: &SourceMap, one: &Diagnostic, look: Look, plain: bool) -> String {
    let Some(source) = sources.get(one.primary.span.source) else { return format!("{}\n", one.message) };
    let lines = Lines { name: source.name(), text: source.text() };
    let drawn = Drawn { one, source: lines, help: help(sources, source, one) };
    let mut out = String::new();
    let done = if plain {
        NarratableReportHandler::new().render_report(&mut out, &drawn)
    } else {
        handler(look).render_report(&mut out, &drawn)
    };
    match done {
        Ok(()) => out,
        Err(_) => concise(sources, one),
    }
}

fn handler(look: Look) -> GraphicalReportHandler {
    let theme = match (look.unicode, look.color) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, _) => GraphicalTheme::none(),
    };
    GraphicalReportHandler::new_themed(theme).with_width(look.width).with_links(false).with_context_lines(0)
}

/// What stands in other files, the way out, the patch, and where to read more.
fn help(sources: &SourceMap, source: &Source, one: &Diagnostic) -> Option<String> {
    let mut lines: Vec<String> = elsewhere(sources, one).collect();
    lines.extend(one.help.iter().cloned());
    let several = one.fixes.len() > 1;
    for fix in one.fixes.iter().take(3) {
        // The help has said what the only fix does.
        lines.extend((several || one.help.is_none()).then(|| format!("{}:", fix.title)));
        lines.extend(patch(source, fix));
    }
    lines.push(format!("more: trimtab explain {}", one.code.id));
    Some(lines.join("\n"))
}

/// The places in other files, a line each.
fn elsewhere<'a>(sources: &'a SourceMap, one: &'a Diagnostic) -> impl Iterator<Item = String> + 'a {
    one.labels.iter().filter(|label| label.span.source != one.primary.span.source).filter_map(|label| {
        let source = sources.get(label.span.source)?;
        let at = source.position(label.span.start);
        Some(format!(
            "{}:{}:{}: {}: `{}`",
            source.name(),
            at.line,
            at.column,
            label.message,
            source.line(at.line).trim()
        ))
    })
}

/// A fix as the lines that it takes away and puts in.
fn patch(source: &Source, fix: &Fix) -> Vec<String> {
    let mut edits = fix.edits.iter().collect::<Vec<_>>();
    edits.sort_by_key(|edit| edit.span.start);
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return Vec::new() };
    let lines = source.position(first.span.start).line..=source.position(last.span.end).line;
    let old: Vec<&str> = lines.clone().map(|line| source.line(line)).collect();
    let start = source.text()[..first.span.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let end = start + old.iter().map(|line| line.len() + 1).sum::<usize>();
    let (mut new, mut at) = (String::new(), start);
    for edit in &edits {
        new += source.text().get(at..edit.span.start as usize).unwrap_or_default();
        new += &edit.text;
        at = edit.span.end as usize;
    }
    new += source.text().get(at..end.min(source.text().len())).unwrap_or_default();
    let mut out: Vec<String> = old.iter().map(|line| format!("- {}", line.trim())).collect();
    out.extend(new.trim_end().lines().map(|line| format!("+ {}", line.trim())));
    out
}

/// One finding in one line.
pub(super) fn concise(sources: &SourceMap, one: &Diagnostic) -> String {
    let Some(source) = sources.get(one.primary.span.source) else { return format!("{}\n", one.message) };
    let at = source.position(one.primary.span.start);
    let (name, severity, code) = (source.name(), one.severity.word(), one.code.id);
    format!("{name}:{}:{}: {severity}[{code}] {}\n", at.line, at.column, one.message)
}
