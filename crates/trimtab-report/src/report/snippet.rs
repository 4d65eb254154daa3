//! Source lines with marks under them, folded to the terminal's width.
//!
//! It knows lines, marks and a gutter of line numbers, but no diagnostics.

mod cell;
mod excerpt;
mod layout;
mod shorten;

use std::collections::BTreeSet;
use std::ops::Range;

use trimtab_base::source::sanitize;
use trimtab_base::source::slice;

use self::cell::Row;
pub(super) use self::excerpt::{Excerpt, Window};
pub(super) use self::layout::Paint;
use self::layout::Underline;
pub(super) use self::shorten::{shorten_lines, shorten_text};
use super::style::TerminalStyle;
use super::table;
use super::wrap::fold_after;

/// A range of bytes to be underlined.
#[derive(Clone, Debug)]
pub(super) struct Mark<'a> {
    pub(super) range: Range<usize>,
    /// The character that underlines it.
    pub(super) symbol: char,
    pub(super) paint: Paint,
    /// The text beside the underline; may be empty.
    pub(super) label: &'a str,
}

/// Draws lines with a gutter that fits the largest line number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    digits: usize,
    style: TerminalStyle,
}

/// Most lines of a span that are all shown; of a longer span the middle is left out.
const LONGEST: usize = 5;
/// Most rows of one line that a change shows; of a longer line the middle is left out.
const MOST_ROWS: usize = 60;
/// The least columns beside the gutter.
const MIN_WIDTH: usize = 8;

impl Frame {
    /// A frame for line numbers up to this one.
    pub(super) fn new(line: usize, style: TerminalStyle) -> Self {
        Self { digits: line.to_string().len(), style }
    }

    /// Columns beside the gutter.
    fn room(self) -> usize {
        self.style.width.saturating_sub(self.digits + 4).max(MIN_WIDTH)
    }

    /// A line: its number or nothing, the edge, and text that is painted already.
    fn line(self, number: &str, edge: &str, text: &str) -> String {
        let gutter = self.style.frame(&format!(" {number:>width$} {edge}", width = self.digits));
        if text.is_empty() { format!("{gutter}\n") } else { format!("{gutter} {text}\n") }
    }

    /// A line without text.
    pub(super) fn blank(self) -> String {
        self.line("", "|", "")
    }

    /// The place of the lines below, after an arrow.
    pub(super) fn head(self, arrow: &str, place: &str) -> String {
        format!(
            "{}{} {place}\n",
            " ".repeat(self.digits + 1),
            self.style.frame(arrow),
            place = sanitize::one_line(place)
        )
    }

    /// A sentence below the lines: `= help: …`.
    pub(super) fn footer(self, word: &str, text: &str) -> String {
        let indent = self.digits + word.len() + 6;
        // A narrow screen has no room for a deep indent.
        let deep = if self.style.width >= indent + 2 * MIN_WIDTH { indent } else { self.digits + 4 };
        let room = self.style.width.saturating_sub(deep).max(MIN_WIDTH);
        let lines = fold_after(text, indent - deep, room);
        let head = format!(
            "{}{} {}",
            " ".repeat(self.digits + 2),
            self.style.frame("="),
            self.style.emphasis(&format!("{word}:"))
        );
        format!("{head} {}\n", lines.join(&format!("\n{}", " ".repeat(deep))))
    }

    /// Columns of such a sentence when it is not folded.
    pub(super) fn footer_width(self, word: &str, text: &str) -> usize {
        self.digits + word.len() + 6 + table::display_width(text)
    }

    /// One line without marks, in as many rows as it needs.
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
    pub(super) fn lines(self, source: &Excerpt, marks: &[Mark<'_>]) -> String {
        let mut out = String::new();
        let mut before = None;
        for number in visible(source, marks) {
            match before {
                Some(last) if last + 2 == number => out += &self.numbered(source, last + 1, &[]),
                Some(last) if last + 1 < number => out += &format!("{}\n", self.style.frame("...")),
                _ => {}
            }
            out += &self.numbered(source, number, marks);
            before = Some(number);
        }
        out
    }

    fn numbered(self, source: &Excerpt, number: usize, marks: &[Mark<'_>]) -> String {
        self.marked(number, source.line(number), &on_line(source, number, marks))
    }

    /// One line with marks below, in as many rows as it needs; the ranges of the marks are bytes of the line.
    pub(super) fn marked(self, number: usize, text: &str, marks: &[Mark<'_>]) -> String {
        let mut out = String::new();
        let mut visible = 0;
        for piece in shorten::pieces(text, marks) {
            if piece.start > visible {
                out += &if visible == 0 { self.cut(&number.to_string()) } else { self.cut("") };
            }
            let rows = cell::rows(slice(text, piece.clone()), self.room());
            for (at, row) in rows.iter().enumerate() {
                let row = &row.shifted(piece.start);
                let (number, edge) = if row.from == 0 { (number.to_string(), "|") } else { (String::new(), ":") };
                out += &self.line(&number, edge, row.text.trim_end());
                let is_last = at + 1 == rows.len() && piece.end == text.len();
                let under: Vec<Underline<'_>> = marks.iter().filter_map(|mark| below(row, is_last, mark)).collect();
                let lines = layout::lines(&under, self.room(), self.style);
                out.extend(lines.into_iter().map(|line| self.line("", "|", &line)));
            }
            visible = piece.end;
        }
        out + &if visible < text.len() { self.cut("") } else { String::new() }
    }

    /// A line that replaces what is left out of a long one.
    fn cut(self, number: &str) -> String {
        self.line(number, if number.is_empty() { ":" } else { "|" }, "...")
    }
}

/// The part of a mark that is in a row; the row where it ends has its label.
fn below<'a>(row: &Row, is_last: bool, mark: &Mark<'a>) -> Option<Underline<'a>> {
    let (start, end) = (mark.range.start, mark.range.end);
    let inside = |at: usize| at >= row.from && (at < row.to || (is_last && at <= row.to));
    let ends_here = if start == end { inside(start) } else { end > row.from && (end <= row.to || is_last) };
    let touches = inside(start) || (start < row.to && end > row.from);
    touches.then(|| {
        let (from, to) = (row.column(start.max(row.from)), row.column(end.min(row.to)));
        let label = if ends_here { mark.label } else { "" };
        Underline { from, to: to.max(from + 1), symbol: mark.symbol, paint: mark.paint, label }
    })
}

/// The numbers of the lines that are shown.
fn visible(source: &Excerpt, marks: &[Mark<'_>]) -> BTreeSet<usize> {
    let lines = |mark: &Mark<'_>| {
        let (first, last) = ends(source, mark);
        let all: Vec<usize> =
            if last - first < LONGEST { (first..=last).collect() } else { vec![first, first + 1, last] };
        all
    };
    marks.iter().flat_map(lines).collect()
}

/// The first and the last line of a mark. A mark that ends with a line break does not include the next line.
fn ends(source: &Excerpt, mark: &Mark<'_>) -> (usize, usize) {
    let line = |at: usize| source.position(at).line;
    let text = source.slice(mark.range.clone());
    let end = mark.range.start + text.trim_end_matches(['\n', '\r']).len().max(usize::from(!text.is_empty()));
    let first = line(mark.range.start);
    (first, line(end.min(mark.range.end)).max(first))
}

/// The marks of one line, as bytes of that line. A mark over several lines underlines each from its first character that
/// is no space to its end; the last line has the label.
fn on_line<'a>(source: &Excerpt, number: usize, marks: &[Mark<'a>]) -> Vec<Mark<'a>> {
    let text = source.line(number);
    let begin = source.line_start(number);
    let line_mark = |mark: &Mark<'a>| {
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
    marks.iter().filter_map(line_mark).collect()
}
