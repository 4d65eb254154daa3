//! Source texts and spans: what every later room points back into.
//!
//! In: a name and a text. Out: byte spans, and lines and columns counted from 1, columns in characters.
//! It does not know what the text means, and reads no file: who has the files implements [`Sources`].

mod load;
mod slice;

pub use load::{Loaded, Memory, Nothing, Reason, Sources, beside, plain_path};
pub use slice::{line_end, line_start, slice, starting_at, up_to};

use std::sync::Arc;

use serde::Serialize;

/// Which of the loaded texts a span points into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

impl SourceId {
    /// What stands in the project's settings and not in any text at hand.
    pub const SETTINGS: Self = Self(u32::MAX);
}

/// A half-open range of bytes in one source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The text it points into.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes a span from byte offsets; offsets past 4 GiB are clamped.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { source, start: clamp(start), end: clamp(end) }
    }

    /// The smallest span that covers both; both must lie in the same source.
    pub fn to(self, other: Self) -> Self {
        Self { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether the other lies inside.
    pub fn holds(self, other: Self) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// An empty span just behind this one.
    pub fn after(self) -> Self {
        Self { start: self.end, ..self }
    }

    /// The byte range, for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub node: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs a value with its span.
    pub const fn new(node: T, span: Span) -> Self {
        Self { node, span }
    }
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One named text with an index of its lines. A clone shares them.
#[derive(Clone, Debug)]
pub struct Source {
    id: SourceId,
    name: Arc<str>,
    text: Arc<str>,
    lines: Arc<[u32]>,
    /// Whether every character is one byte.
    ascii: bool,
}

impl Source {
    /// Wraps a text; `name` is what diagnostics show, usually the path as the user gave it.
    pub fn new(id: SourceId, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let lines = std::iter::once(0).chain(starts).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect();
        let ascii = text.is_ascii();
        Self { id, name: name.into().into(), text: text.into(), lines, ascii }
    }

    /// Its id.
    pub const fn id(&self) -> SourceId {
        self.id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text under a span; empty when the span lies outside.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        Span::new(self.id, 0, self.text.len())
    }

    /// Line and column of a byte offset; an offset past the end gives the end.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.lines.partition_point(|&start| start <= offset).max(1);
        let start = self.lines[line - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        // On a long line with many findings, counting characters for each of them takes the square of its length.
        let before = if self.ascii { None } else { self.text.get(start..end) };
        let column = before.map_or(end - start, |before| before.chars().count());
        Position { line, column: column + 1 }
    }

    /// The first byte of a line, from 1; the end of the text for a line that is not there.
    pub fn line_start(&self, line: usize) -> usize {
        let start = line.checked_sub(1).and_then(|at| self.lines.get(at));
        start.map_or(self.text.len(), |&start| start as usize)
    }

    /// The text of a line, from 1, without its line break.
    pub fn line(&self, line: usize) -> &str {
        let Some(&start) = line.checked_sub(1).and_then(|at| self.lines.get(at)) else {
            return "";
        };
        let end = self.lines.get(line).map_or(self.text.len(), |&next| next as usize);
        self.text.get(start as usize..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }
}

/// All texts of one run of the compiler, by id.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Adds a text and gives its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        self.sources.push(Source::new(id, name, text));
        id
    }

    /// The text with this id, if it was added here.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// All texts in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        let source = Source::new(SourceId(0), "x", "añb\nc");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
        assert_eq!(source.position(5), Position { line: 2, column: 1 });
        assert_eq!(source.position(99), Position { line: 2, column: 2 });
        assert_eq!(source.line(1), "añb");
    }
}
