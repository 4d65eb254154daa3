//! Writes the parts of statements to lines.

use trimtab_base::source::starting_at;

use super::document::{Part, flat_width, until_break, width, width_before_break};
use super::{LINE_WIDTH, comment};

/// The number of columns of an indentation step.
const INDENT: usize = 2;

/// The white space before the next token.
#[derive(Clone, Copy)]
enum Pending {
    Spaces(usize),
    /// A line break, unless a trailing comment is next.
    Break,
    /// A line break after a comment.
    AfterComment,
}

/// The output so far, and the position in it.
pub(super) struct Writer {
    out: String,
    /// The width of the current line.
    column: usize,
    line_start: usize,
    indent: usize,
    /// The indentation of the current statement.
    base: usize,
    pending: Pending,
    trailing: Vec<comment::Trailing>,
}

impl Writer {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            out: String::with_capacity(capacity),
            column: 0,
            line_start: 0,
            indent: 0,
            base: 0,
            pending: Pending::Spaces(0),
            trailing: Vec::new(),
        }
    }

    /// Whether the current line has content.
    pub(super) const fn is_inline(&self) -> bool {
        self.column > 0
    }

    /// Starts a line, optionally with a blank one before it.
    pub(super) fn start_line(&mut self, blank: bool) {
        if self.column > 0 {
            self.end_line();
        }
        if blank && !self.out.is_empty() {
            self.end_line();
        }
        self.pending = Pending::Spaces(0);
        self.base = self.indent;
    }

    /// Increases the indentation.
    pub(super) const fn indent(&mut self) {
        self.indent += INDENT;
    }

    /// Decreases the indentation.
    pub(super) const fn dedent(&mut self) {
        self.indent = self.indent.saturating_sub(INDENT);
    }

    /// Writes a statement.
    pub(super) fn statement(&mut self, parts: &[Part<'_>]) {
        self.parts(parts, true);
    }

    /// Writes a token.
    pub(super) fn token(&mut self, text: &str) {
        self.flush_pending();
        self.push(text);
    }

    /// Writes a comment, at the end of the current line or on its own line.
    pub(super) fn comment(&mut self, text: &str, is_trailing: bool) {
        if is_trailing && self.column > 0 && !matches!(self.pending, Pending::AfterComment) {
            let (end, column, indent) = (self.out.len(), self.column, self.line_indent());
            self.trailing.push(comment::Trailing { line: self.line_start, end, column, indent });
            self.push(" ");
        } else {
            self.pending = Pending::Break;
            self.flush_pending();
        }
        self.push(text);
        self.pending = Pending::AfterComment;
    }

    /// The output, with one line break at its end.
    pub(super) fn finish(mut self) -> String {
        if self.column > 0 {
            self.end_line();
        }
        comment::align(self.out, &self.trailing)
    }

    fn parts(&mut self, parts: &[Part<'_>], broken: bool) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Token(text) => self.token(text),
                Part::Block(value) => self.block(value),
                Part::Verbatim(text) => self.verbatim(text),
                Part::Space(count) => self.space(*count),
                Part::Line | Part::SoftLine if broken => self.break_line(),
                Part::Fill if broken => self.fill(until_break(&parts[at + 1..])),
                Part::Line | Part::Fill => self.space(1),
                Part::TrailingComma if broken => self.token(","),
                Part::SoftLine | Part::TrailingComma => {}
                Part::Group(inner) => {
                    let fits = !broken || self.fits(inner, &parts[at + 1..]);
                    self.parts(inner, !fits);
                }
                Part::Bracketed(inner) => {
                    let fits = !broken || self.fits(inner, &parts[at + 1..]);
                    self.bracketed(inner, fits);
                }
                Part::Indent(inner) => {
                    self.indent();
                    self.parts(inner, broken);
                    self.dedent();
                }
                Part::Comment(text, is_trailing) => self.comment(text, *is_trailing),
            }
        }
    }

    fn space(&mut self, count: usize) {
        if let Pending::Spaces(_) = self.pending {
            self.pending = Pending::Spaces(count);
        }
    }

    /// Whether a group, and everything up to the next possible line break, fits on the line.
    fn fits(&self, group: &[Part<'_>], rest: &[Part<'_>]) -> bool {
        let start = match self.pending {
            Pending::Spaces(count) if self.column > 0 => self.column + count,
            _ => self.indent,
        };
        flat_width(group).is_some_and(|width| start + width + width_before_break(rest) <= LINE_WIDTH)
    }

    /// Writes a space, or a line break if the next parts fit only on a new line.
    fn fill(&mut self, next: &[Part<'_>]) {
        let Some(width) = flat_width(next) else { return self.space(1) };
        let fits = self.column + 1 + width <= LINE_WIDTH;
        let helps = self.column <= LINE_WIDTH && self.indent + width <= LINE_WIDTH;
        if fits || !helps {
            self.space(1);
        } else {
            self.break_line();
        }
    }

    const fn break_line(&mut self) {
        if let Pending::Spaces(_) = self.pending {
            self.pending = Pending::Break;
        }
    }

    /// Writes a group between brackets, indented relative to the line on which it begins.
    fn bracketed(&mut self, parts: &[Part<'_>], fits: bool) {
        let outside = self.indent;
        if self.column > 0 && matches!(self.pending, Pending::Spaces(_)) {
            self.indent = self.line_indent();
        }
        self.parts(parts, !fits);
        self.indent = outside;
    }

    /// Writes the pending white space.
    fn flush_pending(&mut self) {
        let spaces = match self.pending {
            Pending::Break | Pending::AfterComment => {
                if self.column > 0 {
                    self.end_line();
                }
                0
            }
            Pending::Spaces(count) => count,
        };
        self.pending = Pending::Spaces(0);
        let spaces = if self.column == 0 { self.indent } else { spaces };
        self.out.extend(std::iter::repeat_n(' ', spaces));
        self.column += spaces;
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += width(text);
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        self.line_start = self.out.len();
        self.column = 0;
    }

    fn line_indent(&self) -> usize {
        let line = starting_at(&self.out, self.line_start);
        line.len() - line.trim_start_matches(' ').len()
    }

    /// Writes a block that is indented like the statement.
    fn block(&mut self, value: &str) {
        self.token("\"\"\"");
        self.end_line();
        for line in value.split('\n') {
            if !line.is_empty() {
                self.out.extend(std::iter::repeat_n(' ', self.base));
                self.out.push_str(line);
            }
            self.end_line();
        }
        self.out.extend(std::iter::repeat_n(' ', self.base));
        self.column = self.base;
        self.push("\"\"\"");
    }

    fn verbatim(&mut self, text: &str) {
        self.token(text);
        if let Some(end) = text.rfind('\n') {
            self.line_start = self.out.len() - (text.len() - end - 1);
            self.column = width(starting_at(text, end + 1));
        }
    }
}
