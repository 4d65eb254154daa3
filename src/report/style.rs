//! What the reader's terminal can show.

use super::wrap::fold;
use crate::diagnostic::Severity;

/// Width, colour and character set of human-readable text.
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

    /// Emphasised text.
    pub fn emphasis(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Text of minor importance.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Success.
    pub fn success(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Failure.
    pub fn failure(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// Text in the colour of a severity.
    pub fn severity(self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Info => "1;36",
        };
        self.paint(code, text)
    }

    /// The frame around source code.
    pub fn frame(self, text: &str) -> String {
        self.paint("1;34", text)
    }

    /// A text folded to the width, each line indented. A word wider than that is not broken.
    pub fn wrap(self, text: &str, indent: usize) -> String {
        let lines = fold(text, self.width.saturating_sub(indent).max(20));
        lines.iter().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect()
    }
}
