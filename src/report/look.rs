//! What the reader's screen can show.

use super::table::columns;
use crate::diagnostic::Severity;

/// Width, colour and characters of a text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: usize,
    /// Whether escape sequences for colour may be used.
    pub color: bool,
    /// Whether characters beyond ASCII may be used for drawing.
    pub unicode: bool,
}

impl Look {
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
