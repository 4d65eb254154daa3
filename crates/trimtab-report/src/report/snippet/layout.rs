//! The lines below a row of source code: underlines and labels.
//!
//! The rightmost label is beside its underline, the others are below, each at the column of its mark. Where there is no
//! room for that, or where marks overlap, each mark has lines of its own.

use trimtab_base::diagnostic::Severity;

use crate::report::style::TerminalStyle;
use crate::report::table::display_width;
use crate::report::wrap::fold;

/// The colour of a mark or a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Severity(Severity),
    Frame,
    Added,
    Removed,
}

impl Paint {
    pub(super) fn on(self, style: TerminalStyle, text: &str) -> String {
        match self {
            Self::Severity(severity) => style.severity(severity, text),
            Self::Frame => style.frame(text),
            Self::Added => style.success(text),
            Self::Removed => style.failure(text),
        }
    }
}

/// A mark in columns of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Underline<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) symbol: char,
    pub(super) paint: Paint,
    pub(super) label: &'a str,
}

/// The least columns of a folded label.
const COLUMN: usize = 24;

/// The painted lines.
pub(super) fn lines(marks: &[Underline<'_>], room: usize, style: TerminalStyle) -> Vec<String> {
    if marks.is_empty() {
        return Vec::new();
    }
    let mut marks = marks.to_vec();
    marks.sort_by_key(|mark| (mark.from, mark.to));
    together(&marks, room, style).unwrap_or_else(|| one_per_line(&marks, room, style))
}

/// All underlines in one line, their labels beside it and below.
fn together(marks: &[Underline<'_>], room: usize, style: TerminalStyle) -> Option<Vec<String>> {
    let overlap = marks.windows(2).any(|two| two[1].from < two[0].to);
    let mut labelled: Vec<&Underline<'_>> = marks.iter().filter(|mark| !mark.label.is_empty()).collect();
    if overlap && labelled.len() > 1 {
        return None;
    }
    let (mut first, end) = underline(marks, style);
    let mut out = Vec::new();
    if let Some(last) = labelled.pop_if(|last| last.to == end && fits(last.label, last.to + 1, room)) {
        let texts = fold(last.label, room - last.to - 1);
        first = format!("{first} {}", last.paint.on(style, &texts[0]));
        out.extend(
            texts[1..]
                .iter()
                .map(|text| after_vertical_lines(&labelled, last.to + 1, &last.paint.on(style, text), style)),
        );
    }
    while let Some(last) = labelled.pop() {
        if !fits(last.label, last.from, room) {
            return None;
        }
        let texts = fold(last.label, room - last.from);
        out.extend(
            texts.iter().map(|text| after_vertical_lines(&labelled, last.from, &last.paint.on(style, text), style)),
        );
    }
    out.insert(0, first);
    Some(out)
}

/// Whether a text fits into the columns from `from` on, folded if necessary.
fn fits(text: &str, from: usize, room: usize) -> bool {
    let column = room.saturating_sub(from);
    let longest = fold(text, column).iter().map(|line| display_width(line)).max().unwrap_or(0);
    longest <= column && (display_width(text) <= column || column >= COLUMN)
}

/// A text at a column, after the vertical lines of the marks whose labels follow below.
fn after_vertical_lines(waiting: &[&Underline<'_>], from: usize, text: &str, style: TerminalStyle) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for mark in waiting {
        if mark.from < at || mark.from >= from {
            continue;
        }
        out += &" ".repeat(mark.from - at);
        out += &mark.paint.on(style, "|");
        at = mark.from + 1;
    }
    format!("{out}{}{text}", " ".repeat(from.saturating_sub(at)))
}

/// Each underline in a line of its own, its label beside it or below.
fn one_per_line(marks: &[Underline<'_>], room: usize, style: TerminalStyle) -> Vec<String> {
    let mut out = Vec::new();
    for mark in marks {
        let (line, end) = underline(std::slice::from_ref(mark), style);
        if mark.label.is_empty() {
            out.push(line);
        } else if end + 1 + display_width(mark.label) <= room {
            out.push(format!("{line} {}", mark.paint.on(style, mark.label)));
        } else {
            out.push(line);
            let texts = fold(mark.label, room);
            out.extend(texts.iter().map(|text| mark.paint.on(style, text)));
        }
    }
    out
}

/// The underlines of a row, and the column after the last.
fn underline(marks: &[Underline<'_>], style: TerminalStyle) -> (String, usize) {
    let end = marks.iter().map(|mark| mark.to).max().unwrap_or(0);
    // Where two overlap, the primary one is visible.
    let at = |column: usize| {
        let here = marks.iter().filter(|mark| (mark.from..mark.to).contains(&column));
        here.min_by_key(|mark| mark.paint == Paint::Frame).map(|mark| (mark.symbol, mark.paint))
    };
    let (mut out, mut run, mut paint) = (String::new(), String::new(), None);
    for column in 0..=end {
        let here = at(column).filter(|_| column < end);
        let next = here.map(|(_, paint)| paint);
        if next != paint || column == end {
            out += &paint.map_or_else(|| run.clone(), |paint: Paint| paint.on(style, &run));
            run.clear();
            paint = next;
        }
        run.push(here.map_or(' ', |(symbol, _)| symbol));
    }
    (out, end)
}
