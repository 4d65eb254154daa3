//! The lines below a row: what underlines it, and what the marks say.
//!
//! The rightmost label stands beside its mark; the others below, each at the column of its mark. Where that is too
//! narrow or marks overlap, each mark has lines of its own.

use crate::diagnostic::Severity;
use crate::report::style::{TerminalStyle, fold};
use crate::report::table::columns;

/// The colour of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Severe(Severity),
    Edge,
    Good,
    Bad,
}

impl Paint {
    pub(super) fn on(self, style: TerminalStyle, text: &str) -> String {
        match self {
            Self::Severe(severity) => style.severe(severity, text),
            Self::Edge => style.edge(text),
            Self::Good => style.good(text),
            Self::Bad => style.bad(text),
        }
    }
}

/// A mark in columns of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Under<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) sign: char,
    pub(super) paint: Paint,
    pub(super) label: &'a str,
}

/// Narrowest column of text that is worth reading.
const COLUMN: usize = 24;

/// The lines, painted.
pub(super) fn lines(marks: &[Under<'_>], room: usize, style: TerminalStyle) -> Vec<String> {
    if marks.is_empty() {
        return Vec::new();
    }
    let mut marks = marks.to_vec();
    marks.sort_by_key(|mark| (mark.from, mark.to));
    together(&marks, room, style).unwrap_or_else(|| apart(&marks, room, style))
}

/// All marks in one line, their labels beside and below.
fn together(marks: &[Under<'_>], room: usize, style: TerminalStyle) -> Option<Vec<String>> {
    let overlap = marks.windows(2).any(|two| two[1].from < two[0].to);
    let mut labelled: Vec<&Under<'_>> = marks.iter().filter(|mark| !mark.label.is_empty()).collect();
    if overlap && labelled.len() > 1 {
        return None;
    }
    let (mut first, end) = underline(marks, style);
    let mut out = Vec::new();
    if let Some(last) = labelled.pop_if(|last| last.to == end && fits(last.label, last.to + 1, room)) {
        let texts = fold(last.label, room - last.to - 1);
        first = format!("{first} {}", last.paint.on(style, &texts[0]));
        out.extend(texts[1..].iter().map(|text| behind(&labelled, last.to + 1, &last.paint.on(style, text), style)));
    }
    while let Some(last) = labelled.pop() {
        if !fits(last.label, last.from, room) {
            return None;
        }
        let texts = fold(last.label, room - last.from);
        out.extend(texts.iter().map(|text| behind(&labelled, last.from, &last.paint.on(style, text), style)));
    }
    out.insert(0, first);
    Some(out)
}

/// Whether a text can stand in the columns from one on, if need be in several lines.
fn fits(text: &str, from: usize, room: usize) -> bool {
    let column = room.saturating_sub(from);
    let longest = fold(text, column).iter().map(|line| columns(line)).max().unwrap_or(0);
    longest <= column && (columns(text) <= column || column >= COLUMN)
}

/// A text at a column, behind lines that lead down from the marks that are still to be told.
fn behind(waiting: &[&Under<'_>], from: usize, text: &str, style: TerminalStyle) -> String {
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

/// Each mark in a line of its own, with its label beside it or below.
fn apart(marks: &[Under<'_>], room: usize, style: TerminalStyle) -> Vec<String> {
    let mut out = Vec::new();
    for mark in marks {
        let (line, end) = underline(std::slice::from_ref(mark), style);
        if mark.label.is_empty() {
            out.push(line);
        } else if end + 1 + columns(mark.label) <= room {
            out.push(format!("{line} {}", mark.paint.on(style, mark.label)));
        } else {
            out.push(line);
            let texts = fold(mark.label, room);
            out.extend(texts.iter().map(|text| mark.paint.on(style, text)));
        }
    }
    out
}

/// The signs under a row, and the column behind the last.
fn underline(marks: &[Under<'_>], style: TerminalStyle) -> (String, usize) {
    let end = marks.iter().map(|mark| mark.to).max().unwrap_or(0);
    // Where two overlap, the one that is not a mere explanation is seen.
    let at = |column: usize| {
        let here = marks.iter().filter(|mark| (mark.from..mark.to).contains(&column));
        here.min_by_key(|mark| mark.paint == Paint::Edge).map(|mark| (mark.sign, mark.paint))
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
        run.push(here.map_or(' ', |(sign, _)| sign));
    }
    (out, end)
}
