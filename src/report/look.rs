//! What the reader's screen can show.

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

    /// A text in lines no wider than the screen, each behind an indent. A word wider than that stands alone, uncut.
    pub fn wrap(self, text: &str, indent: usize) -> String {
        let room = self.width.saturating_sub(indent).max(20);
        let mut lines: Vec<String> = vec![String::new()];
        for word in text.split_whitespace() {
            let line = lines.last_mut().map_or(0, |line| super::table::columns(line));
            match lines.last_mut() {
                Some(last) if line > 0 && line + 1 + super::table::columns(word) <= room => {
                    last.push(' ');
                    last.push_str(word);
                }
                Some(last) if line == 0 => last.push_str(word),
                _ => lines.push(word.to_owned()),
            }
        }
        lines.iter().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
    }
}
