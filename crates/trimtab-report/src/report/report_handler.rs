//! Prints diagnostics of miette for a terminal: the message, the source with labels, notes, help and suggested changes.

use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, ReportHandler, SourceCode};
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::sanitize;

use super::encoding::Encoding;
use super::number;
use super::patch::{self, Edit};
use super::policy_error::{FIX_SAFE, FIX_UNSAFE, MORE, NOTE, PolicyError};
use super::snippet::{Excerpt, Frame, Mark, Paint};
use super::style::TerminalStyle;
use super::table::display_width;
use super::wrap::fold_after;

/// Most suggested changes that are printed of one diagnostic.
const MAX_FIXES: usize = 5;
/// The column of the safety of the fix in the last line.
const TAG: usize = 43;

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
    pub fn render(&self, error: &dyn Diagnostic) -> String {
        Encoding::Text.finish(Drawing::of(Readable::Any(error), None).draw(self.style)).into_string()
    }

    /// The text of a finding, which is not copied, as a part of a text that is not finished.
    pub(super) fn draw_finding(&self, finding: &PolicyError) -> String {
        Drawing::of(Readable::Finding(finding), None).draw(self.style)
    }
}

/// A diagnostic, from which a drawing is made.
#[derive(Clone, Copy)]
enum Readable<'a> {
    Finding(&'a PolicyError),
    Any(&'a dyn Diagnostic),
}

impl<'a> Readable<'a> {
    fn diagnostic(self) -> &'a dyn Diagnostic {
        match self {
            Self::Finding(finding) => finding,
            Self::Any(diagnostic) => diagnostic,
        }
    }

    fn related(self) -> Vec<Self> {
        match self {
            Self::Finding(finding) => finding.parts().iter().map(Self::Finding).collect(),
            Self::Any(diagnostic) => diagnostic.related().into_iter().flatten().map(Self::Any).collect(),
        }
    }

    /// The text around some spans of it, or of the diagnostic that it is related to.
    fn excerpt(self, parent: Option<&dyn SourceCode>, labels: &[LabeledSpan]) -> Option<Excerpt> {
        match self {
            Self::Finding(finding) if labels.is_empty() => finding.source().map(|_| Excerpt::default()),
            Self::Finding(finding) => finding.source().map(Excerpt::of),
            Self::Any(diagnostic) => {
                let source = diagnostic.source_code().or(parent)?;
                Some(Excerpt::read(source, labels.iter().map(|label| *label.inner())))
            }
        }
    }
}

impl ReportHandler for PolicyReportHandler {
    fn debug(&self, error: &dyn Diagnostic, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if out.alternate() { std::fmt::Debug::fmt(error, out) } else { out.write_str(&self.render(error)) }
    }
}

/// A diagnostic, read and sanitized.
struct Drawing {
    severity: Severity,
    code: Option<String>,
    message: String,
    /// The text of the diagnostic, then other texts with labels.
    snippets: Vec<Snippet>,
    notes: Vec<String>,
    help: Vec<String>,
    more: Option<String>,
    fixes: Vec<Suggestion>,
    related: Vec<Drawing>,
}

/// A text with labels, the primary one first.
struct Snippet {
    excerpt: Excerpt,
    labels: Vec<(Range<usize>, String)>,
}

/// A suggested change.
struct Suggestion {
    title: String,
    is_safe: bool,
    /// The edits of each text.
    parts: Vec<(Excerpt, Vec<Edit>)>,
}

impl Drawing {
    fn of(readable: Readable<'_>, parent: Option<&dyn SourceCode>) -> Self {
        let error = readable.diagnostic();
        let source = error.source_code().or(parent);
        let mut drawing = Self {
            severity: severity(error),
            code: error.code().map(|code| sanitize::one_line(&code.to_string())),
            message: sanitize::one_line(&error.to_string()),
            snippets: Snippet::of(readable, parent).into_iter().collect(),
            notes: causes(error),
            help: Vec::new(),
            more: None,
            fixes: Vec::new(),
            related: Vec::new(),
        };
        for line in error.help().map(|help| help.to_string()).unwrap_or_default().lines() {
            drawing.add_help(line);
        }
        for related in readable.related() {
            drawing.add_related(related, source);
        }
        drawing
    }

    fn add_help(&mut self, line: &str) {
        let line = sanitize::one_line(line);
        match (line.strip_prefix(NOTE), line.strip_prefix(MORE)) {
            (Some(note), _) => self.notes.push(note.to_owned()),
            (_, Some(more)) => self.more = Some(more.to_owned()),
            _ => self.help.push(line),
        }
    }

    fn add_related(&mut self, diagnostic: Readable<'_>, parent: Option<&dyn SourceCode>) {
        if let Some(fix) = Suggestion::of(diagnostic, parent) {
            return self.fixes.push(fix);
        }
        let mut related = Self::of(diagnostic, parent);
        if related.is_only_labels() {
            self.snippets.append(&mut related.snippets);
        } else {
            self.related.push(related);
        }
    }

    /// Whether it has only labels, as [`PolicyError`](super::PolicyError) encodes labels in other files.
    fn is_only_labels(&self) -> bool {
        let first = self.snippets.first().and_then(|snippet| snippet.labels.first());
        self.severity == Severity::Info
            && self.code.is_none()
            && self.help.is_empty()
            && first.is_some_and(|(_, label)| *label == self.message)
    }

    fn draw(&self, style: TerminalStyle) -> String {
        let frame = Frame::new(self.last_line(), style);
        let mut out = self.title(style);
        out += &self.draw_snippets(frame);
        out.extend(self.notes.iter().map(|note| frame.footer("note", note)));
        if !self.help.is_empty() {
            out += &frame.footer("help", &self.help.join(" "));
        }
        // Help that comes with a single fix is its title.
        let is_titled = self.fixes.len() == 1 && !self.help.is_empty();
        for fix in self.fixes.iter().take(MAX_FIXES) {
            out += &if is_titled { String::new() } else { frame.footer("help", &fix.title) };
            out += &patch::draw(self.name(), &fix.parts, frame);
        }
        let rest = self.fixes.len().saturating_sub(MAX_FIXES);
        out.extend((rest > 0).then(|| frame.footer("help", &format!("and {}", more_suggestions(rest)))));
        out += &self.last_footer(style, frame);
        out.extend(self.related.iter().map(|related| format!("\n{}", related.draw(style))));
        out
    }

    fn title(&self, style: TerminalStyle) -> String {
        let code = self.code.as_ref().map(|code| format!("[{code}]")).unwrap_or_default();
        let head = format!("{}{code}", self.severity.word());
        let first = display_width(&head) + 2;
        let indent = if style.width >= 2 * first + 20 { first } else { 2 };
        let room = style.width.saturating_sub(indent).max(8);
        let mut lines = fold_after(&self.message, first - indent, room).into_iter();
        let first = style.emphasis(&lines.next().unwrap_or_default());
        let mut out = format!("{}: {first}\n", style.severity(self.severity, &head));
        out.extend(lines.map(|line| format!("{}{}\n", " ".repeat(indent), style.emphasis(&line))));
        out
    }

    /// The name of the text that the diagnostic is about.
    fn name(&self) -> &str {
        self.snippets.first().map_or("", |snippet| snippet.excerpt.name())
    }

    fn draw_snippets(&self, frame: Frame) -> String {
        let mut out = String::new();
        for (at, snippet) in self.snippets.iter().enumerate() {
            let marks: Vec<Mark<'_>> = snippet.marks((at == 0).then_some(self.severity)).collect();
            let position = snippet.excerpt.position(marks.first().map_or(0, |mark| mark.range.start));
            let place = format!("{}:{}:{}", snippet.excerpt.name(), position.line, position.column);
            out += &frame.head(if at == 0 { "-->" } else { ":::" }, &place);
            out += &frame.blank();
            out += &frame.lines(&snippet.excerpt, &marks);
        }
        out
    }

    /// The largest line number that is printed; it decides the width of the gutter.
    fn last_line(&self) -> usize {
        let labels = self
            .snippets
            .iter()
            .flat_map(|snippet| snippet.labels.iter().map(|(range, _)| snippet.excerpt.position(range.end).line));
        let parts = self.fixes.iter().take(MAX_FIXES).flat_map(|fix| &fix.parts);
        labels.chain(parts.map(|(excerpt, edits)| patch::last_line(excerpt, edits))).max().unwrap_or(1)
    }

    /// Where to read more, and whether the best fix is safe.
    fn last_footer(&self, style: TerminalStyle, frame: Frame) -> String {
        let line = self.more.as_ref().map(|more| frame.footer("more", more)).unwrap_or_default();
        let Some(Suggestion { is_safe, .. }) = self.fixes.first() else { return line };
        let safety = if *is_safe { "safe" } else { "unsafe" };
        let tag = format!("[fix: {safety}]");
        let line = line.trim_end();
        let more_width = self.more.as_ref().map_or(0, |more| frame.footer_width("more", more));
        let at = TAG.max(more_width + 2);
        if line.is_empty() || line.contains('\n') || at + tag.len() > style.width {
            let line = if line.is_empty() { String::new() } else { format!("{line}\n") };
            return line + &frame.footer("fix", safety);
        }
        format!("{line}{}{}\n", " ".repeat(at - more_width), style.dim(&tag))
    }
}

fn more_suggestions(rest: usize) -> String {
    format!("{} more {}", number::whole(rest), if rest == 1 { "suggestion" } else { "suggestions" })
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

impl Snippet {
    fn of(error: Readable<'_>, parent: Option<&dyn SourceCode>) -> Option<Self> {
        let mut labels: Vec<LabeledSpan> = error.diagnostic().labels()?.collect();
        labels.sort_by_key(|label| !label.primary());
        let excerpt = error.excerpt(parent, &labels)?;
        let labels = labels.iter().map(|label| {
            let text = sanitize::one_line(label.label().unwrap_or_default());
            (label.offset()..label.offset() + label.len(), text)
        });
        let labels: Vec<_> = labels.collect();
        (!excerpt.is_empty() && !labels.is_empty()).then_some(Self { excerpt, labels })
    }

    /// The labels as marks; the first is primary where a severity is given.
    fn marks(&self, severity: Option<Severity>) -> impl Iterator<Item = Mark<'_>> {
        self.labels.iter().enumerate().map(move |(at, (range, label))| {
            let (symbol, paint) = match severity.filter(|_| at == 0) {
                Some(severity) => ('^', Paint::Severity(severity)),
                None => ('-', Paint::Frame),
            };
            Mark { range: range.clone(), symbol, paint, label }
        })
    }
}

impl Suggestion {
    /// The change that a related diagnostic encodes, if it does.
    fn of(readable: Readable<'_>, parent: Option<&dyn SourceCode>) -> Option<Self> {
        let diagnostic = readable.diagnostic();
        let code = diagnostic.code()?.to_string();
        let is_safe = code == FIX_SAFE;
        if !is_safe && code != FIX_UNSAFE {
            return None;
        }
        let title = sanitize::one_line(&diagnostic.to_string());
        let mut parts = vec![edits(readable, parent)?];
        parts.extend(readable.related().into_iter().filter_map(|part| edits(part, parent)));
        Some(Self { title, is_safe, parts })
    }
}

/// The replacements that the labels of a diagnostic encode.
fn edits(readable: Readable<'_>, parent: Option<&dyn SourceCode>) -> Option<(Excerpt, Vec<Edit>)> {
    let labels: Vec<LabeledSpan> = readable.diagnostic().labels()?.collect();
    let excerpt = readable.excerpt(parent, &labels)?;
    let edit = |label: &LabeledSpan| Edit {
        range: label.offset()..label.offset() + label.len(),
        text: label.label().unwrap_or_default().to_owned(),
    };
    Some((excerpt, labels.iter().map(edit).collect()))
}
