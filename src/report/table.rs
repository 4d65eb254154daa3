//! Tables of plain text, their columns as wide as they need to be.

use unicode_width::UnicodeWidthStr;

/// The width of a text in terminal columns.
pub(super) fn display_width(text: &str) -> usize {
    text.width()
}

/// Rows under a head. The first column is left-aligned, the others right-aligned; a last column marked as text is
/// left-aligned too.
pub(super) struct Table {
    pub(super) rows: Vec<Vec<String>>,
    pub(super) last_is_text: bool,
    /// Whether every column is text.
    pub(super) is_text: bool,
    /// Whether the first column is no heading of its row, and right-aligned as the others are.
    right: bool,
}

impl Table {
    pub(super) fn new(head: &[&str]) -> Self {
        Self {
            rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()],
            last_is_text: false,
            is_text: false,
            right: false,
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The rows at a width: if they are wider, the first column gets its own lines.
    pub(super) fn fitted(&self, indent: usize, width: usize) -> Vec<String> {
        let lines = self.lines(indent);
        if lines.iter().all(|line| display_width(line) <= width) {
            return lines;
        }
        let rest = |row: &Vec<String>| row.iter().skip(1).cloned().collect();
        let below = Self { rows: self.rows.iter().map(rest).collect(), right: true, ..*self };
        let head = |row: &Vec<String>| row.first().filter(|cell| !cell.is_empty()).cloned();
        let each = self.rows.iter().zip(below.lines(indent + 2));
        each.map(|(row, line)| match head(row) {
            Some(cell) => format!("{}{cell}\n{line}", " ".repeat(indent)),
            None => line,
        })
        .collect()
    }

    /// The lines, indented, with two spaces between columns.
    pub(super) fn lines(&self, indent: usize) -> Vec<String> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..count)
            .map(|at| self.rows.iter().filter_map(|row| row.get(at)).map(|cell| display_width(cell)).max().unwrap_or(0))
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().enumerate().map(|(at, cell)| {
                let blanks = " ".repeat(widths[at].saturating_sub(display_width(cell)));
                let left = self.is_text || (at == 0 && !self.right) || (self.last_is_text && at + 1 == count);
                if left { format!("{cell}{blanks}") } else { format!("{blanks}{cell}") }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            format!("{}{}", " ".repeat(indent), line.trim_end())
        };
        self.rows.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["rule", "n"]);
        table.row(["mask".to_owned(), "12".to_owned()]);
        assert_eq!(table.lines(1), [" rule   n", " mask  12"]);
        assert_eq!(table.fitted(1, 9), table.lines(1));
        assert_eq!(table.fitted(1, 8), [" rule\n    n", " mask\n   12"]);
    }
}
