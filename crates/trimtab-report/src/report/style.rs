//! What the reader's terminal can show.
//!
//! Styles are marks in a text until [`Encoding::finish`](super::Encoding::finish) makes them escape sequences. A mark has a
//! key that no other text can know, so that nothing in a policy or a recording is taken for one.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use trimtab_base::diagnostic::Severity;

use super::wrap::fold;

/// The key of this process. Like the boundary of a MIME message it is never in the result.
static KEY: LazyLock<String> = LazyLock::new(|| format!(";{}m", RandomState::new().hash_one("mark")));

/// How a mark begins. It has the form of an escape sequence, which has no width when text is folded.
const START: &str = "\u{1b}[";
/// The code of a mark before a workflow command.
const COMMAND: &str = "?";
/// The codes of styles.
const CODES: [&str; 9] = ["0", "1", "2", "31", "32", "1;31", "1;33", "1;34", "1;36"];

/// A mark in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: MarkKind,
    /// Bytes.
    pub(super) length: usize,
}

/// What a mark means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// A style, by its code in an escape sequence.
    Style(&'static str),
    /// The line is a workflow command.
    Command,
}

/// The mark at the start of a text.
pub(super) fn mark(text: &str) -> Option<Mark> {
    let text = text.strip_prefix(START)?;
    let has = |code: &str| text.strip_prefix(code).is_some_and(|rest| rest.starts_with(KEY.as_str()));
    let (code, kind) = match CODES.iter().find(|code| has(code)) {
        Some(code) => (*code, MarkKind::Style(code)),
        None => (Some(COMMAND).filter(|code| has(code))?, MarkKind::Command),
    };
    Some(Mark { kind, length: START.len() + code.len() + KEY.len() })
}

/// A line that is a workflow command.
pub(super) fn command(line: &str) -> String {
    format!("{START}{COMMAND}{}{line}", *KEY)
}

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
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let key = KEY.as_str();
        format!("{START}{code}{key}{text}{START}0{key}")
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
