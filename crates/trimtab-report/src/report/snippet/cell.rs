//! Characters as a terminal shows them: tabs expanded, wide characters measured, lines split into rows that fit.

use trimtab_base::source::sanitize::{REPLACEMENT, unsafe_chars};
use unicode_width::UnicodeWidthStr;

/// Columns between tab stops.
const TAB: usize = 4;

/// A part of a line that fits the width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// What is printed.
    pub(super) text: String,
    /// First byte of the line in this row.
    pub(super) from: usize,
    /// One past the last byte.
    pub(super) to: usize,
    cells: Vec<Cell>,
}

/// Characters that a terminal shows as one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    /// First byte in the line.
    at: usize,
    rendered: String,
    width: usize,
}

impl Row {
    /// The row of a line that has `bytes` more bytes before it.
    pub(super) fn shifted(&self, bytes: usize) -> Self {
        let cells = self.cells.iter().map(|cell| Cell { at: cell.at + bytes, ..cell.clone() }).collect();
        Self { text: self.text.clone(), from: self.from + bytes, to: self.to + bytes, cells }
    }

    /// The column of a byte of the line, from 0; a byte inside a cell has the cell's column.
    pub(super) fn column(&self, byte: usize) -> usize {
        let inside = self.cells.iter().enumerate();
        let ends = inside.map(|(at, cell)| (self.cells.get(at + 1).map_or(self.to, |next| next.at), cell.width));
        ends.take_while(|(end, _)| *end <= byte).map(|(_, width)| width).sum()
    }

    fn push(&mut self, cell: Cell) {
        self.text += &cell.rendered;
        self.cells.push(cell);
    }
}

/// A line in rows of at most `room` columns, broken after a space where one is near the end.
pub(super) fn rows(line: &str, room: usize) -> Vec<Row> {
    let cells = cells(line);
    let (mut rows, mut start) = (Vec::new(), 0);
    while start < cells.len() {
        let end = start + fitting(&cells[start..], room);
        let from = cells[start].at;
        let to = cells.get(end).map_or(line.len(), |next| next.at);
        let mut row = Row { from, to, ..Row::default() };
        cells[start..end].iter().cloned().for_each(|cell| row.push(cell));
        rows.push(row);
        start = end;
    }
    if rows.is_empty() {
        rows.push(Row { to: line.len(), ..Row::default() });
    }
    rows
}

/// How many cells the next row has.
fn fitting(cells: &[Cell], room: usize) -> usize {
    let mut width = 0;
    let fit = cells.iter().take_while(|cell| {
        width += cell.width;
        width <= room
    });
    let fit = fit.count().max(1);
    if fit == cells.len() {
        return fit;
    }
    let blank = cells[..fit].iter().rposition(|cell| cell.rendered.trim().is_empty()).map(|at| at + 1);
    // Do not break after the indentation, nor where the row would be short.
    let is_worth = |at: &usize| *at >= fit / 2 && cells[..*at].iter().any(|cell| !cell.rendered.trim().is_empty());
    blank.filter(is_worth).unwrap_or(fit)
}

fn cells(line: &str) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut column = 0;
    let mut hidden = unsafe_chars(line).filter(|(_, char)| *char != '\t').peekable();
    for (at, char) in line.char_indices() {
        let char = hidden.next_if(|(place, _)| *place == at).map_or(char, |_| REPLACEMENT);
        if let Some(last) = cells.last_mut().filter(|last| joins(last, char)) {
            column -= last.width;
            last.rendered.push(char);
            last.width = last.rendered.width();
            column += last.width;
            continue;
        }
        let rendered = render(char, column);
        let width = rendered.width();
        column += width;
        cells.push(Cell { at, rendered, width });
    }
    cells
}

/// Whether a character combines with the cell before it: accents, parts of an emoji.
fn joins(last: &Cell, char: char) -> bool {
    if char == REPLACEMENT || char == '\t' || last.rendered.starts_with(REPLACEMENT) {
        return false;
    }
    let alone = char.to_string().width();
    let mut both = last.rendered.clone();
    both.push(char);
    alone == 0 || last.rendered.ends_with('\u{200d}') || both.width() < last.width + alone
}

fn render(char: char, column: usize) -> String {
    match char {
        '\t' => " ".repeat(TAB - column % TAB),
        char => char.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str, room: usize) -> Vec<String> {
        rows(line, room).into_iter().map(|row| row.text).collect()
    }

    #[test]
    fn a_line_is_broken_after_a_space_without_losing_text() {
        assert_eq!(texts("mask results keep 3", 14), ["mask results ", "keep 3"]);
        assert_eq!(texts("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(texts("", 4), [""]);
    }

    #[test]
    fn columns_are_those_of_the_terminal() {
        let row = &rows("\tä日x", 40)[0];
        assert_eq!([0, 1, 3, 6, 7].map(|byte| row.column(byte)), [0, 4, 5, 7, 8]);
        let family = "👨\u{200d}👩\u{200d}👧x";
        assert_eq!(rows(family, 40)[0].column(family.len() - 1), 2);
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(texts("a\u{1b}[31m\u{202e}b", 40), ["a\u{fffd}[31m\u{fffd}b"]);
    }
}
