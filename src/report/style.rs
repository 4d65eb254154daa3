//! What the reader's screen can show.

use super::table::columns;
use crate::diagnostic::Severity;

/// Width, colour and characters of a text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns.
    pub width: usize,
    /// Whether escape sequences for colour may be used.
    pub color: bool,
    /// Whether characters beyond ASCII may be used for drawing.
    pub unicode: bool,
}

impl TerminalStyle {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Important text.
    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Text that can be passed over.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Good news.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Bad news.
    pub fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// What belongs to a severity.
    pub fn severe(self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Info => "1;36",
        };
        self.paint(code, text)
    }

    /// The frame around what matters.
    pub fn edge(self, text: &str) -> String {
        self.paint("1;34", text)
    }

    /// A text in lines no wider than the screen, each behind an indent. A word wider than that stands alone, uncut.
    pub fn wrap(self, text: &str, indent: usize) -> String {
        let lines = fold(text, self.width.saturating_sub(indent).max(20));
        lines.iter().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
    }
}

/// A text whose lines are folded where they are wider than so many columns, behind their own indent and two more.
/// Escape sequences take no room.
pub fn fold_lines(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if shown(line) <= width {
            out += line;
            continue;
        }
        let bare = line.trim_start_matches(' ');
        let indent = line.len() - bare.len();
        let mut taken = indent;
        out += &" ".repeat(indent);
        for (at, word) in bare.split(' ').enumerate() {
            if at > 0 && taken + 1 + shown(word) > width {
                out += &format!("\n{}", " ".repeat(indent + 2));
                taken = indent + 2;
            } else if at > 0 {
                out.push(' ');
                taken += 1;
            }
            out += word;
            taken += shown(word);
        }
    }
    out
}

/// A line of code behind an indent, broken between words outside of quotes where it is wider than the screen.
pub(super) fn fold_code(line: &str, indent: usize, width: usize) -> String {
    let bare = line.trim_start_matches(' ');
    let indent = indent + line.len() - bare.len();
    // What follows the sign of a comment stays a comment.
    let next = if bare.starts_with('#') { "# " } else { "  " };
    let (mut out, mut taken) = (" ".repeat(indent), indent);
    for (at, word) in words(bare).enumerate() {
        if at > 0 && taken + 1 + columns(word) > width {
            out += &format!("\n{}{next}", " ".repeat(indent));
            taken = indent + 2;
        } else if at > 0 {
            out.push(' ');
            taken += 1;
        }
        out += word;
        taken += columns(word);
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// The pieces between single blanks that stand outside of quotes.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    line.split(move |sign| {
        quoted ^= sign == '"' && !escaped;
        escaped = sign == '\\' && !escaped;
        sign == ' ' && !quoted
    })
}

/// Columns that a line takes on the screen, without its escape sequences.
fn shown(line: &str) -> usize {
    let mut pieces = line.trim_end_matches('\n').split('\u{1b}');
    let first = pieces.next().map_or(0, columns);
    first + pieces.map(|piece| piece.split_once('m').map_or(0, |(_, rest)| columns(rest))).sum::<usize>()
}

/// A text in lines of at most so many columns. A word wider than that stands alone, uncut.
pub(super) fn fold(text: &str, room: usize) -> Vec<String> {
    fold_behind(text, 0, room)
}

/// The same where so many columns of the first line are taken already.
pub(super) fn fold_behind(text: &str, taken: usize, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let taken = if lines.len() == 1 { taken } else { 0 };
        let line = lines.last_mut().map_or(0, |line| columns(line));
        match lines.last_mut() {
            Some(last) if line > 0 && taken + line + 1 + columns(word) <= room => {
                last.push(' ');
                last.push_str(word);
            }
            Some(last) if line == 0 => last.push_str(word),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_broken_outside_of_quotes() {
        assert_eq!(fold_code("do mask \"a b c\" keep 1", 2, 14), "  do mask\n    \"a b c\"\n    keep 1\n");
        assert_eq!(fold_code("  # one two three", 0, 12), "  # one two\n  # three\n");
        assert_eq!(fold_code("", 4, 12), "\n");
    }

    #[test]
    fn lines_that_are_too_wide_are_folded_behind_their_indent() {
        assert_eq!(fold_lines("one two\n  three four five\n", 12), "one two\n  three four\n    five\n");
        assert_eq!(fold_lines("unbreakable it is", 5), "unbreakable\n  it\n  is");
        assert_eq!(fold_lines("\u{1b}[31mred\u{1b}[0m one", 7), "\u{1b}[31mred\u{1b}[0m one");
    }
}
