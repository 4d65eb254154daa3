//! Parts of statements onto lines.
//!
//! In: parts, in order. Out: the text. It knows columns, and nothing of the language.

use super::document::{Part, bound, columns, flat, unbroken};
use super::{LINE_WIDTH, remark};
use crate::source::starting_at;

/// Columns of one step of indent.
const STEP: usize = 2;

/// What comes before the next token.
#[derive(Clone, Copy)]
enum Pending {
    Spaces(usize),
    /// A new line, which a comment may come before.
    Break,
    /// A new line, since a comment has ended this one.
    Ended,
}

/// The text so far, and where it stands.
pub(super) struct Writer {
    out: String,
    /// Columns on the line so far; 0 when it is new.
    column: usize,
    line_start: usize,
    indent: usize,
    /// The indent of the statement at hand.
    base: usize,
    pending: Pending,
    trailing: Vec<remark::Trailing>,
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

    /// Whether something stands on the line.
    pub(super) const fn is_inline(&self) -> bool {
        self.column > 0
    }

    /// Begins a line, with an empty one before it if that is wanted.
    pub(super) fn line(&mut self, blank: bool) {
        if self.column > 0 {
            self.end_line();
        }
        if blank && !self.out.is_empty() {
            self.end_line();
        }
        self.pending = Pending::Spaces(0);
        self.base = self.indent;
    }

    /// What follows stands further right.
    pub(super) const fn enter(&mut self) {
        self.indent += STEP;
    }

    /// What follows stands further left again.
    pub(super) const fn leave(&mut self) {
        self.indent = self.indent.saturating_sub(STEP);
    }

    /// Writes a statement.
    pub(super) fn statement(&mut self, parts: &[Part<'_>]) {
        self.parts(parts, true);
    }

    /// Writes a token.
    pub(super) fn token(&mut self, text: &str) {
        self.settle();
        self.push(text);
    }

    /// Writes a comment, behind what stands on the line or on a line of its own.
    pub(super) fn comment(&mut self, text: &str, behind: bool) {
        if behind && self.column > 0 && !matches!(self.pending, Pending::Ended) {
            let (end, column, indent) = (self.out.len(), self.column, self.line_indent());
            self.trailing.push(remark::Trailing { line: self.line_start, end, column, indent });
            self.push(" ");
        } else {
            self.pending = Pending::Break;
            self.settle();
        }
        self.push(text);
        self.pending = Pending::Ended;
    }

    /// The text, with one line break at its end.
    pub(super) fn finish(mut self) -> String {
        if self.column > 0 {
            self.end_line();
        }
        remark::align(self.out, &self.trailing)
    }

    fn parts(&mut self, parts: &[Part<'_>], broken: bool) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Token(text) => self.token(text),
                Part::Block(value) => self.block(value),
                Part::Raw(text) => self.raw(text),
                Part::Space(count) => self.space(*count),
                Part::Line | Part::Edge if broken => self.break_line(),
                Part::Fill if broken => self.fill(unbroken(&parts[at + 1..])),
                Part::Line | Part::Fill => self.space(1),
                Part::Comma if broken => self.token(","),
                Part::Edge | Part::Comma => {}
                Part::Group(inner) => {
                    let fits = !broken || self.fits(inner, &parts[at + 1..]);
                    self.parts(inner, !fits);
                }
                Part::Enclosed(inner) => {
                    let fits = !broken || self.fits(inner, &parts[at + 1..]);
                    self.enclosed(inner, fits);
                }
                Part::Nest(inner) => {
                    self.enter();
                    self.parts(inner, broken);
                    self.leave();
                }
                Part::Comment(text, behind) => self.comment(text, *behind),
            }
        }
    }

    fn space(&mut self, count: usize) {
        if let Pending::Spaces(_) = self.pending {
            self.pending = Pending::Spaces(count);
        }
    }

    /// Whether a group and what is bound to it fit on the line.
    fn fits(&self, group: &[Part<'_>], rest: &[Part<'_>]) -> bool {
        let start = match self.pending {
            Pending::Spaces(count) if self.column > 0 => self.column + count,
            _ => self.indent,
        };
        flat(group).is_some_and(|width| start + width + bound(rest) <= LINE_WIDTH)
    }

    /// A space or a new line: where the next stretch fits. A line that is too long already is not helped by a break.
    fn fill(&mut self, next: &[Part<'_>]) {
        let Some(width) = flat(next) else { return self.space(1) };
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

    /// What stands between two signs, indented from the line on which it begins.
    fn enclosed(&mut self, parts: &[Part<'_>], fits: bool) {
        let outside = self.indent;
        if self.column > 0 && matches!(self.pending, Pending::Spaces(_)) {
            self.indent = self.line_indent();
        }
        self.parts(parts, !fits);
        self.indent = outside;
    }

    /// Writes what comes before a token.
    fn settle(&mut self) {
        let spaces = match self.pending {
            Pending::Break | Pending::Ended => {
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
        self.column += columns(text);
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

    /// A block whose lines and closing quotes stand below the statement's first sign.
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

    fn raw(&mut self, text: &str) {
        self.token(text);
        if let Some(end) = text.rfind('\n') {
            self.line_start = self.out.len() - (text.len() - end - 1);
            self.column = columns(starting_at(text, end + 1));
        }
    }
}
