//! Draws a diagnostic for a terminal: the message, the source with labels, notes, help and suggested changes.

use std::ops::Range;

use trimtab_base::diagnostic::{Diagnostic, Fix, Label, Severity};
use trimtab_base::source::sanitize::one_line;
use trimtab_base::source::{SourceId, SourceMap};

use super::number;
use super::patch::{self, Edit};
use super::snippet::{Excerpt, Frame, Mark, Paint};
use super::style::TerminalStyle;
use super::table::display_width;
use super::wrap::fold_after;

/// The maximum number of suggested changes printed for one diagnostic.
const MAX_FIXES: usize = 5;
/// The column of the safety of the fix in the last line: after a `more` line of usual length.
const TAG_COLUMN: usize = 43;

/// What is drawn of a diagnostic; its texts are sanitized.
pub(super) struct Drawing {
    pub(super) severity: Severity,
    pub(super) code: Option<String>,
    pub(super) message: String,
    /// The text of the diagnostic, then other texts with labels.
    pub(super) snippets: Vec<Snippet>,
    pub(super) notes: Vec<String>,
    pub(super) help: Vec<String>,
    pub(super) more: Option<String>,
    pub(super) fixes: Vec<Suggestion>,
    pub(super) related: Vec<Drawing>,
}

/// A text with labels, the primary one first.
pub(super) struct Snippet {
    pub(super) excerpt: Excerpt,
    pub(super) labels: Vec<(Range<usize>, String)>,
}

/// A suggested change.
pub(super) struct Suggestion {
    pub(super) title: String,
    pub(super) is_safe: bool,
    /// The edits of each text.
    pub(super) parts: Vec<(Excerpt, Vec<Edit>)>,
}

impl Drawing {
    /// Prepares a diagnostic in these texts for drawing.
    pub(super) fn of(sources: &SourceMap, finding: &Diagnostic) -> Self {
        let primary_source = finding.primary.span.source;
        let (here, elsewhere): (Vec<&Label>, Vec<&Label>) =
            finding.labels.iter().partition(|label| label.span.source == primary_source);
        let mut others: Vec<SourceId> = elsewhere.iter().map(|label| label.span.source).collect();
        others.sort_unstable();
        others.dedup();
        let primary_snippet = Snippet::of(sources, primary_source, std::iter::once(&finding.primary).chain(here));
        let others = others.into_iter().filter_map(|id| {
            Snippet::of(sources, id, elsewhere.iter().copied().filter(|label| label.span.source == id))
        });
        Self {
            severity: finding.severity,
            code: Some(finding.code.id.to_owned()),
            message: one_line(&finding.message),
            snippets: primary_snippet.into_iter().chain(others).collect(),
            notes: finding.notes.iter().map(|note| joined(note)).collect(),
            help: finding.help.iter().map(|help| joined(help)).collect(),
            more: Some(format!("trimtab explain {}", finding.code.id)),
            fixes: finding.fixes.iter().filter_map(|fix| Suggestion::of(sources, primary_source, fix)).collect(),
            related: Vec::new(),
        }
    }

    /// The diagnostic for a terminal.
    pub(super) fn draw(&self, style: TerminalStyle) -> String {
        let frame = Frame::new(self.last_line(), style);
        let mut out = self.title(style);
        out += &self.draw_snippets(frame);
        out.extend(self.notes.iter().map(|note| frame.footer("note", note)));
        if !self.help.is_empty() {
            out += &frame.footer("help", &self.help.join(" "));
        }
        // The help says what a single fix does, so its title is not printed again.
        let help_is_title = self.fixes.len() == 1 && !self.help.is_empty();
        for fix in self.fixes.iter().take(MAX_FIXES) {
            out += &if help_is_title { String::new() } else { frame.footer("help", &fix.title) };
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
        let at = TAG_COLUMN.max(more_width + 2);
        if line.is_empty() || line.contains('\n') || at + tag.len() > style.width {
            let line = if line.is_empty() { String::new() } else { format!("{line}\n") };
            return line + &frame.footer("fix", safety);
        }
        format!("{line}{}{}\n", " ".repeat(at - more_width), style.dim(&tag))
    }
}

/// A text in one line.
fn joined(text: &str) -> String {
    one_line(&text.lines().collect::<Vec<_>>().join(" "))
}

fn more_suggestions(rest: usize) -> String {
    format!("{} more {}", number::whole(rest), if rest == 1 { "suggestion" } else { "suggestions" })
}

impl Snippet {
    /// Returns the snippet of labels in one text, or `None` if the text is not known.
    fn of<'a>(sources: &SourceMap, id: SourceId, labels: impl IntoIterator<Item = &'a Label>) -> Option<Self> {
        let excerpt = Excerpt::of(sources.get(id)?);
        let labels = labels.into_iter().map(|label| (label.span.range(), one_line(&label.message)));
        Some(Self { excerpt, labels: labels.collect() })
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
    /// Returns the suggestion for a fix, with the changes in the file of its finding first, or `None` if that file is not
    /// known.
    fn of(sources: &SourceMap, primary_source: SourceId, fix: &Fix) -> Option<Self> {
        let mut files: Vec<SourceId> = fix.edits.iter().map(|edit| edit.span.source).collect();
        files.sort_unstable_by_key(|id| (*id != primary_source, *id));
        files.dedup();
        let part = |id: SourceId| {
            let edits = fix.edits.iter().filter(|edit| edit.span.source == id);
            let edits = edits.map(|edit| Edit { range: edit.span.range(), text: edit.text.clone() });
            Some((Excerpt::of(sources.get(id)?), edits.collect()))
        };
        let mut parts = files.into_iter().map(part);
        let first = parts.next()??;
        let parts = std::iter::once(first).chain(parts.flatten()).collect();
        Some(Self { title: one_line(&fix.title), is_safe: fix.safe, parts })
    }
}
