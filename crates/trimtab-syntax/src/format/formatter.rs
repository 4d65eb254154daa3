//! Walks the tree and the source text in step, and copies tokens and comments in order.
//!
//! Tokens without a span in the tree, such as keywords and brackets, are the next thing in the text other than white space
//! and comments. Unnecessary parentheses and commas are skipped.

use trimtab_base::source::{Span, starting_at};

use super::comment;
use super::document::Part;
use super::writer::Writer;
use crate::syntax::Keyword;
use crate::syntax::tree::Comment;

/// The gap between two statements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// No blank line.
    Tight,
    /// A blank line if the author has one.
    Preserve,
    /// A blank line.
    Blank,
}

/// Formats one file.
pub(super) struct Formatter<'t> {
    pub(super) text: &'t str,
    comments: &'t [Comment],
    /// The end of the last token or comment in the source.
    at: usize,
    /// The parts of the current statement.
    pub(super) parts: Vec<Part<'t>>,
    pub(super) writer: Writer,
}

impl<'t> Formatter<'t> {
    pub(super) fn new(text: &'t str, comments: &'t [Comment]) -> Self {
        let writer = Writer::new(text.len() + text.len() / 4);
        Self { text, comments, at: 0, parts: Vec::new(), writer }
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Copies a token.
    pub(super) fn token(&mut self, span: Span) {
        let text = self.slice(span);
        self.token_at(span.range(), text);
    }

    /// Writes a token whose place in the source is known.
    pub(super) fn token_at(&mut self, place: std::ops::Range<usize>, text: &'t str) {
        self.comments_before(place.start);
        self.parts.push(Part::Token(text));
        self.at = place.end;
    }

    /// Writes a token that has no span in the tree.
    pub(super) fn fixed_token(&mut self, word: &'t str) {
        let start = self.next();
        if starting_at(self.text, start).starts_with(word) {
            self.token_at(start..start + word.len(), word);
        } else {
            self.parts.push(Part::Token(word));
        }
    }

    /// Writes a keyword that has no span in the tree.
    pub(super) fn keyword(&mut self, keyword: Keyword) {
        self.fixed_token(keyword.text());
    }

    /// Skips a character if it is next.
    pub(super) fn skip(&mut self, char: char) -> bool {
        let start = self.next();
        let found = starting_at(self.text, start).starts_with(char);
        if found {
            self.at = start + char.len_utf8();
        }
        found
    }

    /// Skips to an offset.
    pub(super) const fn skip_to(&mut self, end: usize) {
        self.at = end;
    }

    pub(super) fn space(&mut self) {
        self.parts.push(Part::Space(1));
    }

    /// Collects a group: all its line breaks are used, or none.
    pub(super) fn group(&mut self, inside: impl FnOnce(&mut Self)) {
        let parts = self.collect_parts(inside);
        self.parts.push(Part::Group(parts));
    }

    /// Collects parts that are indented after a line break.
    pub(super) fn indented(&mut self, inside: impl FnOnce(&mut Self)) {
        let parts = self.collect_parts(inside);
        self.parts.push(Part::Indent(parts));
    }

    /// Collects a group that begins and ends with a bracket.
    pub(super) fn bracketed(&mut self, inside: impl FnOnce(&mut Self)) {
        let parts = self.collect_parts(inside);
        self.parts.push(Part::Bracketed(parts));
    }

    fn collect_parts(&mut self, inside: impl FnOnce(&mut Self)) -> Vec<Part<'t>> {
        let outside = std::mem::take(&mut self.parts);
        inside(self);
        std::mem::replace(&mut self.parts, outside)
    }

    /// The offset of the next token.
    pub(super) fn next(&self) -> usize {
        let mut at = self.at;
        let mut comments = self.comments.iter();
        loop {
            let rest = starting_at(self.text, at);
            at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{FEFF}']).len();
            match comments.find(|comment| comment.span.start as usize >= at) {
                Some(comment) if comment.span.start as usize == at => at = comment.span.end as usize,
                _ => return at,
            }
        }
    }

    /// Whether there is a comment between two offsets.
    pub(super) fn has_comment(&self, start: usize, end: usize) -> bool {
        let inside = |at: u32| (start..end).contains(&(at as usize));
        self.comments
            .iter()
            .take_while(|comment| (comment.span.start as usize) < end)
            .any(|comment| inside(comment.span.start))
    }

    /// Takes the next comment if it is before an offset.
    fn next_comment(&mut self, before: usize) -> Option<&'t Comment> {
        let (first, rest) = self.comments.split_first().filter(|(first, _)| (first.span.start as usize) < before)?;
        self.comments = rest;
        Some(first)
    }

    /// Whether a comment is on the line of the last token.
    fn is_trailing(&self, comment: &Comment) -> bool {
        self.text.get(self.at..comment.span.start as usize).is_none_or(|gap| !gap.contains('\n'))
    }

    /// Adds the comments before an offset to the parts.
    pub(super) fn comments_before(&mut self, before: usize) {
        while let Some(comment) = self.next_comment(before) {
            let is_trailing = self.is_trailing(comment);
            self.parts.push(Part::Comment(comment::normalized(self.slice(comment.span)), is_trailing));
            self.at = self.at.max(comment.span.end as usize);
        }
    }

    /// Begins a statement: writes the comments before it and starts its line.
    pub(super) fn begin(&mut self, start: usize, gap: Gap) {
        let blank = self.leading_comments(start, gap);
        self.writer.start_line(blank);
    }

    /// Writes the collected statement.
    pub(super) fn end(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        self.writer.statement(&parts);
        parts.clear();
        self.parts = parts;
    }

    /// Formats a statement: a keyword and an indented rest.
    pub(super) fn statement(&mut self, span: Span, gap: Gap, keyword: Keyword, rest: impl FnOnce(&mut Self)) {
        self.begin(span.start as usize, gap);
        self.keyword(keyword);
        self.indented(rest);
        self.end();
    }

    /// Opens a block of statements. Comments before the brace move after it.
    pub(super) fn open(&mut self) {
        self.parts.extend([Part::Space(1), Part::Token("{")]);
        self.skip('{');
        self.end();
        self.writer.indent();
    }

    /// Closes a block of statements, an empty one on the line on which it was opened.
    pub(super) fn close(&mut self, empty: bool) {
        let start = self.next();
        let is_empty = empty && self.comments.first().is_none_or(|comment| comment.span.start as usize > start);
        if !is_empty {
            self.leading_comments(start, if empty { Gap::Tight } else { Gap::Preserve });
        }
        self.writer.dedent();
        if !is_empty {
            self.writer.start_line(false);
        }
        self.fixed_token("}");
        self.end();
    }

    /// Writes the comments between the last statement and an offset; whether a blank line follows them.
    pub(super) fn leading_comments(&mut self, start: usize, gap: Gap) -> bool {
        while let Some(comment) = self.comments.first().filter(|first| (first.span.start as usize) < start)
            && self.writer.is_inline()
            && self.is_trailing(comment)
        {
            self.comments = &self.comments[1..];
            self.writer.comment(&comment::normalized(self.slice(comment.span)), true);
            self.at = comment.span.end as usize;
        }
        let mut gap = if gap == Gap::Blank && self.has_blank_line(start) { Gap::Preserve } else { gap };
        while let Some(comment) = self.next_comment(start) {
            let blank = self.wants_blank_line(comment.span.start as usize, gap);
            self.writer.start_line(blank);
            self.writer.comment(&comment::normalized(self.slice(comment.span)), false);
            self.at = comment.span.end as usize;
            gap = Gap::Preserve;
        }
        self.wants_blank_line(start, gap)
    }

    /// Whether there is a blank line anywhere before an offset.
    fn has_blank_line(&self, start: usize) -> bool {
        let before = self.comments.iter().take_while(|comment| (comment.span.start as usize) < start);
        let mut from = self.at;
        let mut ends =
            before.map(|comment| (comment.span.start as usize, comment.span.end as usize)).collect::<Vec<_>>();
        ends.push((start, start));
        ends.into_iter().any(|(to, end)| self.is_blank_between(std::mem::replace(&mut from, end), to))
    }

    fn wants_blank_line(&self, to: usize, gap: Gap) -> bool {
        match gap {
            Gap::Tight => false,
            Gap::Preserve => self.is_blank_between(self.at, to),
            Gap::Blank => true,
        }
    }

    fn is_blank_between(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|gap| gap.bytes().filter(|&byte| byte == b'\n').count() > 1)
    }
}
