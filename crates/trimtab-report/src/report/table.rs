//! Tables of plain text, their columns as wide as they need to be.

use trimtab_base::source::sanitize::one_line;
use unicode_width::UnicodeWidthStr;

use super::wrap::fold_within;

/// The least width of a wrapped column, and of a name that is shortened.
const MIN_ROOM: usize = 16;

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
            rows: vec![head.iter().map(|&cell| one_line(cell)).collect()],
            last_is_text: false,
            is_text: false,
            right: false,
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// Shortens the names of files in the first column, so that each has one line: what several have in common becomes the
    /// head of the column, and the middle of a name that is still too wide is left out. If the last column has labels, their
    /// ends are left out first, and the labels where the other columns need all of a line.
    pub(super) fn shorten_names(&mut self, indent: usize, width: usize, ends_with_label: bool) {
        let names: Vec<&str> = self.rows.iter().skip(1).filter_map(|row| row.first()).map(String::as_str).collect();
        let common = common_folder(&names);
        if common > 0 {
            let folder = names.first().and_then(|name| name.get(..common)).unwrap_or_default().to_owned();
            let names = self.rows.iter_mut().skip(1).filter_map(|row| row.first_mut());
            names.for_each(|name| *name = name.split_off(common));
            if let Some(head) = self.rows.first_mut().and_then(|head| head.first_mut()) {
                *head = folder;
            }
        }
        let widths = self.widths();
        let room = width.saturating_sub(indent);
        let (last, others) =
            (widths.last().copied().unwrap_or(0), widths.iter().skip(1).map(|width| width + 2).sum::<usize>());
        // A text is wrapped, and a label cut, to no less than this.
        let least = if self.last_is_text { others - last + last.min(MIN_ROOM) } else { others };
        let mut name_room = room.saturating_sub(others);
        if name_room < MIN_ROOM && ends_with_label {
            let label_room = room.saturating_sub(MIN_ROOM + others - last).max(MIN_ROOM);
            let labels = self.rows.iter_mut().filter_map(|row| row.last_mut());
            labels.for_each(|label| *label = cut_at_the_end(label, label_room));
            name_room = MIN_ROOM;
        }
        if name_room < MIN_ROOM {
            name_room = room.saturating_sub(least);
        }
        // The names get lines of their own.
        if room < least + MIN_ROOM {
            name_room = room.max(MIN_ROOM);
            let others: usize = self.widths().iter().skip(1).map(|width| width + 2).sum();
            if ends_with_label && others > room {
                self.rows.iter_mut().for_each(|row| drop(row.pop()));
                self.last_is_text = false;
            }
        }
        for name in self.rows.iter_mut().filter_map(|row| row.first_mut()) {
            *name = cut_in_the_middle(name, name_room);
        }
    }

    /// The rows at a width: if they are wider, a last column of texts is wrapped, or the first column gets its own lines.
    pub(super) fn fitted(&self, indent: usize, width: usize) -> Vec<String> {
        let lines = self.lines(indent);
        if lines.iter().all(|line| display_width(line) <= width) {
            return lines;
        }
        if let Some(lines) = self.wrapped(indent, width) {
            return lines;
        }
        let rest = |row: &Vec<String>| row.iter().skip(1).cloned().collect();
        let below = Self { rows: self.rows.iter().map(rest).collect(), right: true, ..*self };
        let head = |row: &Vec<String>| row.first().filter(|cell| !cell.is_empty()).cloned();
        let each = self.rows.iter().zip(below.wrapped(indent + 2, width).unwrap_or_else(|| below.lines(indent + 2)));
        each.map(|(row, line)| match head(row) {
            Some(cell) => format!("{}{cell}\n{line}", " ".repeat(indent)),
            None => line,
        })
        .collect()
    }

    /// The rows with the texts of the last column wrapped, if there is room for them.
    fn wrapped(&self, indent: usize, width: usize) -> Option<Vec<String>> {
        let last = self.rows.iter().map(Vec::len).max().unwrap_or(0).checked_sub(1)?;
        let others: usize = self.widths().iter().take(last).map(|width| width + 2).sum();
        let room = width.checked_sub(indent + others).filter(|room| self.last_is_text && *room >= MIN_ROOM)?;
        let mut below = Self { rows: Vec::new(), ..*self };
        let mut heights = Vec::new();
        for row in &self.rows {
            let texts = row.get(last).map(|text| fold_within(text, room)).unwrap_or_default();
            heights.push(texts.len().max(1));
            let first = row.iter().take(last).cloned().chain(texts.first().cloned());
            below.rows.push(first.collect());
            let more = texts.iter().skip(1).map(|text| [vec![String::new(); last], vec![text.clone()]].concat());
            below.rows.extend(more);
        }
        let mut lines = below.lines(indent).into_iter();
        Some(heights.iter().map(|height| lines.by_ref().take(*height).collect::<Vec<_>>().join("\n")).collect())
    }

    /// The width of each column.
    fn widths(&self) -> Vec<usize> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |at: usize| self.rows.iter().filter_map(move |row| row.get(at));
        (0..count).map(|at| cells(at).map(|cell| display_width(cell)).max().unwrap_or(0)).collect()
    }

    /// The lines, indented, with two spaces between columns.
    pub(super) fn lines(&self, indent: usize) -> Vec<String> {
        let widths = self.widths();
        let count = widths.len();
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

/// The length of the folder that several names have in common.
fn common_folder(names: &[&str]) -> usize {
    let [first, others @ ..] = names else { return 0 };
    if others.is_empty() {
        return 0;
    }
    let common = others.iter().fold(first.len(), |common, name| {
        first.bytes().zip(name.bytes()).take(common).take_while(|(a, b)| a == b).count()
    });
    first.bytes().take(common).rposition(|byte| byte == b'/').map_or(0, |at| at + 1)
}

/// A label with its end left out, if it is wider than the room.
fn cut_at_the_end(label: &str, room: usize) -> String {
    let kept: String = label.chars().take(room.saturating_sub(3)).collect();
    if label.chars().count() > room { format!("{kept}...") } else { label.to_owned() }
}

/// A name with its middle left out, if it is wider than the room: the end tells files of a folder apart.
pub(super) fn cut_in_the_middle(name: &str, room: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    let Some(more) = chars.len().checked_sub(room).filter(|more| *more > 0) else { return name.to_owned() };
    let kept = chars.len() - more - 3;
    let (start, end) = (kept / 3, kept - kept / 3);
    let part = |chars: &[char]| chars.iter().collect::<String>();
    format!("{}...{}", part(&chars[..start]), part(&chars[chars.len() - end..]))
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

    #[test]
    fn a_last_column_of_texts_is_wrapped() {
        let mut table = Table::new(&["call", "what happened"]);
        table.last_is_text = true;
        table.row(["1".to_owned(), "one two three four five".to_owned()]);
        table.row(["12".to_owned(), "an_identifier_without_spaces".to_owned()]);
        let lines = table.fitted(0, 22);
        assert_eq!(lines[1], "1     one two three\n      four five");
        assert_eq!(lines[2], "12    an_identifier_wi\n      thout_spaces");
        assert!(lines.iter().flat_map(|row| row.lines()).all(|line| display_width(line) <= 22));
    }

    #[test]
    fn names_lose_what_they_have_in_common_and_then_their_middle() {
        let mut table = Table::new(&["file", "tokens"]);
        table.row(["/home/a/sessions/first_of_all.jsonl".to_owned(), "12".to_owned()]);
        table.row(["/home/a/sessions/2026/second_of_all.jsonl".to_owned(), "1".to_owned()]);
        table.shorten_names(0, 28, false);
        let expected = ["/home/a/sessions/     tokens", "first_of_all.jsonl        12", "2026/...of_all.jsonl       1"];
        assert_eq!(table.fitted(0, 28), expected);
    }

    #[test]
    fn labels_are_cut_before_names_get_lines_of_their_own() {
        let mut table = Table::new(&["file", "tokens", "model"]);
        table.last_is_text = true;
        table.row([
            "sessions/first_of_all.jsonl".to_owned(),
            "12".to_owned(),
            "a-model-with-a-long-name-2026".to_owned(),
        ]);
        table.shorten_names(0, 45, true);
        assert_eq!(table.fitted(0, 45)[1], "sess...all.jsonl      12  a-model-with-a-l...");
        table.shorten_names(0, 20, true);
        let cut = table.fitted(0, 20);
        assert!(cut[1].starts_with("sess...all.jsonl\n"), "{cut:?}");
        // There is no room for the labels.
        assert!(cut.iter().flat_map(|row| row.lines()).all(|line| display_width(line) <= 20), "{cut:?}");
    }
}
