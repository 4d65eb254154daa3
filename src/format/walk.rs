//! The tree and its text in step: each token is written where the tree has it, after the comments before it.
//!
//! What the tree does not place (words and signs between its nodes) is the next thing in the text that is neither
//! white space nor a comment; where a text has more parentheses or commas than needed, they are passed over.

use super::document::Part;
use super::remark;
use super::write::Writer;
use crate::source::{Span, starting_at};
use crate::syntax::tree::Comment;

/// What may stand between two statements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// No empty line.
    Tight,
    /// An empty line where the author has one.
    Kept,
    /// An empty line.
    Apart,
}

/// A walk through a file.
pub(super) struct Walk<'t> {
    pub(super) text: &'t str,
    comments: &'t [Comment],
    /// The end of the last token or comment.
    at: usize,
    /// The parts of the statement at hand.
    pub(super) parts: Vec<Part<'t>>,
    pub(super) writer: Writer,
}

impl<'t> Walk<'t> {
    pub(super) fn new(text: &'t str, comments: &'t [Comment]) -> Self {
        let writer = Writer::new(text.len() + text.len() / 4);
        Self { text, comments, at: 0, parts: Vec::new(), writer }
    }

    /// The text under a span.
    pub(super) fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Writes a token that the tree has, as it stands in the text.
    pub(super) fn token(&mut self, span: Span) {
        let text = self.slice(span);
        self.placed(span.range(), text);
    }

    /// Writes a token that stands here in the text.
    pub(super) fn placed(&mut self, place: std::ops::Range<usize>, text: &'t str) {
        self.remarks(place.start);
        self.parts.push(Part::Token(text));
        self.at = place.end;
    }

    /// Writes a word or sign that the tree does not place.
    pub(super) fn word(&mut self, word: &'t str) {
        let start = self.next();
        if starting_at(self.text, start).starts_with(word) {
            self.placed(start..start + word.len(), word);
        } else {
            self.parts.push(Part::Token(word));
        }
    }

    /// Passes over a sign, if it comes next.
    pub(super) fn pass(&mut self, sign: char) -> bool {
        let start = self.next();
        let found = starting_at(self.text, start).starts_with(sign);
        if found {
            self.at = start + sign.len_utf8();
        }
        found
    }

    /// Passes over what stands before the end of a node.
    pub(super) const fn pass_to(&mut self, end: usize) {
        self.at = end;
    }

    pub(super) fn space(&mut self) {
        self.parts.push(Part::Space(1));
    }

    /// Collects what is broken as a whole or not at all.
    pub(super) fn group(&mut self, inside: impl FnOnce(&mut Self)) {
        let parts = self.apart(inside);
        self.parts.push(Part::Group(parts));
    }

    /// Collects what is indented when it does not stand on the first line.
    pub(super) fn nest(&mut self, inside: impl FnOnce(&mut Self)) {
        let parts = self.apart(inside);
        self.parts.push(Part::Nest(parts));
    }

    /// Collects a group that begins and ends with a sign.
    pub(super) fn enclosed(&mut self, inside: impl FnOnce(&mut Self)) {
        let parts = self.apart(inside);
        self.parts.push(Part::Enclosed(parts));
    }

    fn apart(&mut self, inside: impl FnOnce(&mut Self)) -> Vec<Part<'t>> {
        let outside = std::mem::take(&mut self.parts);
        inside(self);
        std::mem::replace(&mut self.parts, outside)
    }

    /// Where the next token starts.
    pub(super) fn next(&self) -> usize {
        let mut at = self.at;
        let mut comments = self.comments.iter();
        loop {
            let rest = starting_at(self.text, at);
            at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{FEFF}']).len();
            match comments.find(|one| one.span.start as usize >= at) {
                Some(one) if one.span.start as usize == at => at = one.span.end as usize,
                _ => return at,
            }
        }
    }

    /// Whether a comment stands here.
    pub(super) fn is_remarked(&self, start: usize, end: usize) -> bool {
        let inside = |at: u32| (start..end).contains(&(at as usize));
        self.comments.iter().take_while(|one| (one.span.start as usize) < end).any(|one| inside(one.span.start))
    }

    /// Takes the next comment if it stands before a place.
    fn remark(&mut self, before: usize) -> Option<&'t Comment> {
        let (first, rest) = self.comments.split_first().filter(|(first, _)| (first.span.start as usize) < before)?;
        self.comments = rest;
        Some(first)
    }

    /// Whether a comment follows the last token on its line.
    fn trails(&self, comment: &Comment) -> bool {
        self.text.get(self.at..comment.span.start as usize).is_none_or(|gap| !gap.contains('\n'))
    }

    /// Puts the comments before a place among the parts.
    pub(super) fn remarks(&mut self, before: usize) {
        while let Some(comment) = self.remark(before) {
            let behind = self.trails(comment);
            self.parts.push(Part::Comment(remark::shown(self.slice(comment.span)), behind));
            self.at = self.at.max(comment.span.end as usize);
        }
    }

    /// Begins a statement that starts here: the comments before it, and its line.
    pub(super) fn begin(&mut self, start: usize, gap: Gap) {
        let blank = self.lead(start, gap);
        self.writer.line(blank);
    }

    /// Writes the statement that was collected.
    pub(super) fn end(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        self.writer.statement(&parts);
        parts.clear();
        self.parts = parts;
    }

    /// A statement: a word, and what follows it further right.
    pub(super) fn statement(&mut self, span: Span, gap: Gap, word: &'t str, rest: impl FnOnce(&mut Self)) {
        self.begin(span.start as usize, gap);
        self.word(word);
        self.nest(rest);
        self.end();
    }

    /// Opens a block of statements; comments before the brace move behind it.
    pub(super) fn open(&mut self) {
        self.parts.extend([Part::Space(1), Part::Token("{")]);
        self.pass('{');
        self.end();
        self.writer.enter();
    }

    /// Closes a block of statements; an empty one on the line where it was opened.
    pub(super) fn close(&mut self, empty: bool) {
        let start = self.next();
        let bare = empty && self.comments.first().is_none_or(|one| one.span.start as usize > start);
        if !bare {
            self.lead(start, if empty { Gap::Tight } else { Gap::Kept });
        }
        self.writer.leave();
        if !bare {
            self.writer.line(false);
        }
        self.word("}");
        self.end();
    }

    /// The comments between the last statement and a place; whether an empty line comes before that place.
    pub(super) fn lead(&mut self, start: usize, gap: Gap) -> bool {
        while let Some(comment) = self.comments.first().filter(|one| (one.span.start as usize) < start)
            && self.writer.is_inline()
            && self.trails(comment)
        {
            self.comments = &self.comments[1..];
            self.writer.comment(&remark::shown(self.slice(comment.span)), true);
            self.at = comment.span.end as usize;
        }
        let mut gap = if gap == Gap::Apart && self.has_blank(start) { Gap::Kept } else { gap };
        while let Some(comment) = self.remark(start) {
            let blank = self.is_blank(comment.span.start as usize, gap);
            self.writer.line(blank);
            self.writer.comment(&remark::shown(self.slice(comment.span)), false);
            self.at = comment.span.end as usize;
            gap = Gap::Kept;
        }
        self.is_blank(start, gap)
    }

    /// Whether an empty line stands anywhere before a place.
    fn has_blank(&self, start: usize) -> bool {
        let before = self.comments.iter().take_while(|one| (one.span.start as usize) < start);
        let mut from = self.at;
        let mut ends = before.map(|one| (one.span.start as usize, one.span.end as usize)).collect::<Vec<_>>();
        ends.push((start, start));
        ends.into_iter().any(|(to, end)| self.is_empty_line(std::mem::replace(&mut from, end), to))
    }

    fn is_blank(&self, to: usize, gap: Gap) -> bool {
        match gap {
            Gap::Tight => false,
            Gap::Kept => self.is_empty_line(self.at, to),
            Gap::Apart => true,
        }
    }

    fn is_empty_line(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|gap| gap.bytes().filter(|&byte| byte == b'\n').count() > 1)
    }
}
