//! Lines of a source with marks under them, wrapped to the screen.
//!
//! In: a source, marks on it, the screen. Out: lines of text with a gutter of line numbers.
//! It does not know what a finding is.

mod cell;
mod excerpt;
mod layout;

use std::collections::BTreeSet;

use self::cell::Row;
pub(super) use self::excerpt::{of_lines, of_text};
pub(super) use self::layout::Paint;
use self::layout::Under;
use super::style::TerminalStyle;
use crate::source::{Source, slice};

/// A place to be underlined.
#[derive(Clone, Debug)]
pub(super) struct Mark<'a> {
    /// First byte and one past the last.
    pub(super) range: std::ops::Range<usize>,
    /// What it is underlined with.
    pub(super) sign: char,
    /// In which colour.
    pub(super) paint: Paint,
    /// What is here; empty for nothing.
    pub(super) label: &'a str,
}

/// A gutter as wide as the largest line number in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    digits: usize,
    style: TerminalStyle,
}

/// Longest span that is shown line by line; of a longer one the middle is left out.
const LONGEST: usize = 5;
/// Most rows of one line that a change shows; of a longer one the middle is left out.
const MOST_ROWS: usize = 60;
/// Narrowest text beside a gutter.
const NARROWEST: usize = 8;

impl Frame {
    /// A frame for lines up to this number.
    pub(super) fn new(line: usize, style: TerminalStyle) -> Self {
        Self { digits: line.to_string().len(), style }
    }

    /// Columns for text beside the gutter.
    fn room(self) -> usize {
        self.style.width.saturating_sub(self.digits + 4).max(NARROWEST)
    }

    /// A line of the frame: a number or nothing, the edge, a text that is painted already.
    fn line(self, number: &str, edge: &str, text: &str) -> String {
        let gutter = self.style.edge(&format!(" {number:>width$} {edge}", width = self.digits));
        if text.is_empty() { format!("{gutter}\n") } else { format!("{gutter} {text}\n") }
    }

    /// The edge alone.
    pub(super) fn blank(self) -> String {
        self.line("", "|", "")
    }

    /// Where the lines below stand: the place behind an arrow.
    pub(super) fn head(self, arrow: &str, place: &str) -> String {
        format!(
            "{}{} {place}\n",
            " ".repeat(self.digits + 1),
            self.style.edge(arrow),
            place = super::sanitize::line(place)
        )
    }

    /// A sentence beside the frame: `= help: …`.
    pub(super) fn said(self, word: &str, text: &str) -> String {
        let indent = self.digits + word.len() + 6;
        // A narrow screen has no room for a deep indent.
        let deep = if self.style.width >= indent + 2 * NARROWEST { indent } else { self.digits + 4 };
        let room = self.style.width.saturating_sub(deep).max(NARROWEST);
        let lines = super::style::fold_behind(text, indent - deep, room);
        let head = format!(
            "{}{} {}",
            " ".repeat(self.digits + 2),
            self.style.edge("="),
            self.style.strong(&format!("{word}:"))
        );
        format!("{head} {}\n", lines.join(&format!("\n{}", " ".repeat(deep))))
    }

    /// Columns of such a sentence when it stands in one line.
    pub(super) fn columns_said(self, word: &str, text: &str) -> usize {
        self.digits + word.len() + 6 + super::table::columns(text)
    }

    /// One line of text behind an edge, in as many rows as it needs, without marks.
    pub(super) fn text(self, number: usize, edge: &str, paint: Paint, text: &str) -> String {
        let rows = cell::rows(text, self.room());
        let line = |(at, row): (usize, &Row)| {
            let number = if at == 0 { number.to_string() } else { String::new() };
            self.line(&number, edge, &paint.on(self.style, row.text.trim_end()))
        };
        if rows.len() <= MOST_ROWS {
            return rows.iter().enumerate().map(line).collect();
        }
        let (first, last) = (MOST_ROWS / 2, rows.len() - MOST_ROWS / 2);
        let head: String = rows.iter().enumerate().take(first).map(line).collect();
        let tail: String = rows.iter().enumerate().skip(last).map(line).collect();
        head + &self.line("", edge, &format!("... and {} more rows", last - first)) + &tail
    }

    /// The lines that the marks touch, each with its marks below.
    pub(super) fn lines(self, source: &Source, marks: &[Mark<'_>]) -> String {
        let mut out = String::new();
        let mut before = None;
        for number in shown(source, marks) {
            match before {
                Some(last) if last + 2 == number => out += &self.numbered(source, last + 1, &[]),
                Some(last) if last + 1 < number => out += &format!("{}\n", self.style.edge("...")),
                _ => {}
            }
            out += &self.numbered(source, number, marks);
            before = Some(number);
        }
        out
    }

    fn numbered(self, source: &Source, number: usize, marks: &[Mark<'_>]) -> String {
        self.marked(number, source.line(number), &on_line(source, number, marks))
    }

    /// One line of text, in as many rows as it needs, with marks below; their ranges are bytes of the line.
    pub(super) fn marked(self, number: usize, text: &str, marks: &[Mark<'_>]) -> String {
        let mut out = String::new();
        let mut shown = 0;
        for piece in excerpt::pieces(text, marks) {
            if piece.start > shown {
                out += &if shown == 0 { self.cut(&number.to_string()) } else { self.cut("") };
            }
            let rows = cell::rows(slice(text, piece.clone()), self.room());
            for (at, row) in rows.iter().enumerate() {
                let row = &row.behind(piece.start);
                let (number, edge) = if row.from == 0 { (number.to_string(), "|") } else { (String::new(), ":") };
                out += &self.line(&number, edge, row.text.trim_end());
                let is_last = at + 1 == rows.len() && piece.end == text.len();
                let under: Vec<Under<'_>> = marks.iter().filter_map(|mark| below(row, is_last, mark)).collect();
                let lines = layout::lines(&under, self.room(), self.style);
                out.extend(lines.into_iter().map(|line| self.line("", "|", &line)));
            }
            shown = piece.end;
        }
        out + &if shown < text.len() { self.cut("") } else { String::new() }
    }

    /// A line that stands for what is left out of a long one.
    fn cut(self, number: &str) -> String {
        self.line(number, if number.is_empty() { ":" } else { "|" }, "...")
    }
}

/// The part of a mark that lies in a row; its label stands where it ends.
fn below<'a>(row: &Row, is_last: bool, mark: &Mark<'a>) -> Option<Under<'a>> {
    let (start, end) = (mark.range.start, mark.range.end);
    let inside = |at: usize| at >= row.from && (at < row.to || (is_last && at <= row.to));
    let ends_here = if start == end { inside(start) } else { end > row.from && (end <= row.to || is_last) };
    let touches = inside(start) || (start < row.to && end > row.from);
    touches.then(|| {
        let (from, to) = (row.column(start.max(row.from)), row.column(end.min(row.to)));
        let label = if ends_here { mark.label } else { "" };
        Under { from, to: to.max(from + 1), sign: mark.sign, paint: mark.paint, label }
    })
}

/// The numbers of the lines to be shown.
fn shown(source: &Source, marks: &[Mark<'_>]) -> BTreeSet<usize> {
    let lines = |mark: &Mark<'_>| {
        let (first, last) = ends(source, mark);
        let all: Vec<usize> =
            if last - first < LONGEST { (first..=last).collect() } else { vec![first, first + 1, last] };
        all
    };
    marks.iter().flat_map(lines).collect()
}

/// The first and the last line of a mark. One that ends with a line break does not reach the next line.
fn ends(source: &Source, mark: &Mark<'_>) -> (usize, usize) {
    let line = |at: usize| source.position(u32::try_from(at).unwrap_or(u32::MAX)).line;
    let text = source.text().get(mark.range.clone()).unwrap_or_default();
    let end = mark.range.start + text.trim_end_matches(['\n', '\r']).len().max(usize::from(!text.is_empty()));
    let first = line(mark.range.start);
    (first, line(end.min(mark.range.end)).max(first))
}

/// The marks of one line, as bytes of that line. Of a span over several lines each line is underlined from its first
/// letter to its end, and the last has the label.
fn on_line<'a>(source: &Source, number: usize, marks: &[Mark<'a>]) -> Vec<Mark<'a>> {
    let text = source.line(number);
    let begin = source.line_start(number);
    let one = |mark: &Mark<'a>| {
        let (first, last) = ends(source, mark);
        if !(first..=last).contains(&number) {
            return None;
        }
        let indent = text.len() - text.trim_start().len();
        let from = if number == first { (mark.range.start.saturating_sub(begin)).min(text.len()) } else { indent };
        let to = if number == last { (mark.range.end.saturating_sub(begin)).min(text.len()) } else { text.len() };
        let label = if number == last { mark.label } else { "" };
        Some(Mark { range: from..to.max(from), label, ..mark.clone() })
    };
    marks.iter().filter_map(one).collect()
}
