//! Findings for a terminal: the message, the text around it with marks, notes, help with the patch, where to read more.

use std::collections::BTreeMap;

use super::{FindingFormat, Findings};
use crate::diagnostic::{Diagnostic, Fix, Label};
use crate::report::snippet::{Frame, Mark, Paint};
use crate::report::style::{TerminalStyle, fold_behind};
use crate::report::{patch, sanitize, table};
use crate::source::{SourceId, SourceMap};

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "human", summary: "With the text around each finding", render };

/// Most fixes that are shown of one finding.
const MOST: usize = 5;
/// The column of what is said of a fix in the last line.
const TAG: usize = 43;

fn render(all: &Findings<'_>) -> String {
    let found: String = all.open().map(|one| draw(all.sources, one, all.style) + "\n").collect();
    let summary = if all.quiet || all.files == 0 { String::new() } else { all.summary() + "\n" };
    found + &summary
}

/// One finding.
pub(crate) fn draw(sources: &SourceMap, one: &Diagnostic, style: TerminalStyle) -> String {
    let one = &sanitize::diagnostic(one);
    let frame = Frame::new(last_line(sources, one), style);
    let mut out = title(one, style);
    out += &snippets(sources, one, frame);
    out.extend(one.notes.iter().map(|note| frame.said("note", note)));
    out.extend(one.help.iter().map(|help| frame.said("help", help)));
    let alone = one.fixes.len() == 1 && one.help.is_some();
    for fix in one.fixes.iter().take(MOST) {
        // The help has said what the only fix does.
        out += &if alone { String::new() } else { frame.said("help", &fix.title) };
        out += &patch::draw(sources, one.primary.span.source, fix, frame);
    }
    let rest = one.fixes.len().saturating_sub(MOST);
    out.extend((rest > 0).then(|| frame.said("help", &format!("and {rest} more suggestions"))));
    out + &more(one, style, frame)
}

fn title(one: &Diagnostic, style: TerminalStyle) -> String {
    let head = format!("{}[{}]", one.severity.word(), one.code.id);
    let first = table::columns(&head) + 2;
    let indent = if style.width >= 2 * first + 20 { first } else { 2 };
    let room = style.width.saturating_sub(indent).max(8);
    let mut lines = fold_behind(&one.message, first - indent, room).into_iter();
    let mut out =
        format!("{}: {}\n", style.severe(one.severity, &head), style.strong(&lines.next().unwrap_or_default()));
    out.extend(lines.map(|line| format!("{}{}\n", " ".repeat(indent), style.strong(&line))));
    out
}

/// The texts around the labels, the file of the finding first.
fn snippets(sources: &SourceMap, one: &Diagnostic, frame: Frame) -> String {
    let home = one.primary.span.source;
    let mut files: BTreeMap<(bool, SourceId), Vec<Mark<'_>>> = BTreeMap::new();
    let primary = Mark { sign: '^', paint: Paint::Severe(one.severity), ..mark(&one.primary) };
    files.entry((false, home)).or_default().push(primary);
    for label in &one.labels {
        files.entry((label.span.source != home, label.span.source)).or_default().push(mark(label));
    }
    let mut out = String::new();
    for ((elsewhere, id), marks) in &files {
        let Some(source) = sources.get(*id) else { continue };
        let at = source.position(u32::try_from(marks[0].range.start).unwrap_or(u32::MAX));
        let place = format!("{}:{}:{}", source.name(), at.line, at.column);
        out += &frame.head(if *elsewhere { ":::" } else { "-->" }, &place);
        out += &frame.blank();
        out += &frame.lines(source, marks);
    }
    out
}

fn mark(label: &Label) -> Mark<'_> {
    Mark { range: label.span.range(), sign: '-', paint: Paint::Edge, label: &label.message }
}

/// The largest line number that is shown, which makes the gutter.
fn last_line(sources: &SourceMap, one: &Diagnostic) -> usize {
    let labels = std::iter::once(&one.primary).chain(&one.labels);
    let line = |label: &Label| sources.get(label.span.source).map(|source| source.position(label.span.end).line);
    let fixed = one.fixes.iter().take(MOST).map(|fix| patch::last_line(sources, fix));
    labels.filter_map(line).chain(fixed).max().unwrap_or(1)
}

/// Where to read more, and whether the best fix needs a look.
fn more(one: &Diagnostic, style: TerminalStyle, frame: Frame) -> String {
    let line = frame.said("more", &format!("trimtab explain {}", one.code.id));
    let Some(Fix { safe, .. }) = one.fixes.first() else { return line };
    let tag = format!("[fix: {}]", if *safe { "safe" } else { "unsafe" });
    let line = line.trim_end();
    let shown = frame.columns_said("more", &format!("trimtab explain {}", one.code.id));
    let at = TAG.max(shown + 2);
    if line.contains('\n') || at + tag.len() > style.width {
        return format!("{line}\n{}", frame.said("fix", if *safe { "safe" } else { "unsafe" }));
    }
    format!("{line}{}{}\n", " ".repeat(at - shown), style.faint(&tag))
}
