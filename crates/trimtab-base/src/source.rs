//! Source texts, byte spans into them, and their lines and columns.
//!
//! Lines and columns count from 1; columns count characters. This module reads no files: callers with access to files
//! implement [`SourceLoader`].

mod format;
mod loader;
pub mod sanitize;
mod slice;

use std::sync::Arc;

use serde::Serialize;

pub use format::{SETTINGS_NAME, SourceFormat};
pub use loader::{
    LoadError, LoadedSource, MemorySources, NoSources, SourceLoader, has_root, normalized_path, resolved_path,
};
pub use slice::{line_end, line_start, slice, starting_at, up_to};

/// Identifies a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

impl SourceId {
    /// Values from the project's settings, whose text is not among the loaded sources.
    pub const SETTINGS: Self = Self(u32::MAX);
}

/// A half-open byte range in a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The source.
    pub source: SourceId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates a span from byte offsets; offsets past 4 GiB are clamped.
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { source, start: clamp(start), end: clamp(end) }
    }

    /// The smallest span that covers both. Both must be in the same source.
    pub fn to(self, other: Self) -> Self {
        Self { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether the other span is inside this one.
    pub fn contains(self, other: Self) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }

    /// The empty span directly after this one.
    pub fn after(self) -> Self {
        Self { start: self.end, ..self }
    }

    /// The byte range, for slicing.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub node: T,
    /// Its span.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs a value with its span.
    pub const fn new(node: T, span: Span) -> Self {
        Self { node, span }
    }
}

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column in characters.
    pub column: usize,
}

/// A named text with a line index. A clone shares the text and the index.
#[derive(Clone, Debug)]
pub struct Source {
    id: SourceId,
    name: Arc<str>,
    format: SourceFormat,
    text: Arc<str>,
    lines: Arc<[u32]>,
    /// The number of characters that begin before each block of [`BLOCK`] bytes; empty if every character is one byte.
    blocks: Arc<[u32]>,
}

/// Bytes in which characters are counted one by one.
const BLOCK: usize = 1_024;

impl Source {
    /// Creates a source. Diagnostics show `name`, usually the path as the user wrote it; it also decides the format.
    pub fn new(id: SourceId, name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let lines = std::iter::once(0).chain(starts).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect();
        let blocks = if text.is_ascii() { Arc::default() } else { characters_before_blocks(&text) };
        Self { id, format: SourceFormat::from_name(&name), name: name.into(), text: text.into(), lines, blocks }
    }

    /// Its id.
    pub const fn id(&self) -> SourceId {
        self.id
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How its text is written.
    pub const fn format(&self) -> SourceFormat {
        self.format
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is outside the source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        Span::new(self.id, 0, self.text.len())
    }

    /// The line and column of a byte offset; an offset past the end is treated as the end.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.lines.partition_point(|&start| start <= offset).max(1);
        let start = self.lines[line - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        let is_between = self.text.is_char_boundary(end);
        let column = if is_between { self.characters_before(end) - self.characters_before(start) } else { end - start };
        Position { line, column: column + 1 }
    }

    /// The number of characters that begin before a byte. Counting all of them for each of many findings on one long line
    /// would take quadratic time.
    fn characters_before(&self, end: usize) -> usize {
        let Some(&before) = self.blocks.get(end / BLOCK) else { return end };
        before as usize + beginnings(&self.text.as_bytes()[end / BLOCK * BLOCK..end])
    }

    /// The offset of the first byte of a line; the end of the text if there is no such line.
    pub fn line_start(&self, line: usize) -> usize {
        let start = line.checked_sub(1).and_then(|at| self.lines.get(at));
        start.map_or(self.text.len(), |&start| start as usize)
    }

    /// The bytes of the line that contains an offset, without the line break. Searching for the ends of one long line for each
    /// of many places in it would take quadratic time.
    pub fn line_around(&self, offset: usize) -> std::ops::Range<usize> {
        let line = self.lines.partition_point(|&start| start as usize <= offset).max(1);
        let end = self.lines.get(line).map_or(self.text.len(), |&next| next as usize - 1);
        self.line_start(line)..end
    }

    /// The text of a line without its line break; empty if there is no such line.
    pub fn line(&self, line: usize) -> &str {
        let Some(&start) = line.checked_sub(1).and_then(|at| self.lines.get(at)) else {
            return "";
        };
        let end = self.lines.get(line).map_or(self.text.len(), |&next| next as usize);
        self.text.get(start as usize..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }
}

/// The number of characters that begin before each block of a text.
fn characters_before_blocks(text: &str) -> Arc<[u32]> {
    let mut before = 0;
    let mut next = |block: &[u8]| {
        let here = before;
        before += beginnings(block);
        u32::try_from(here).unwrap_or(u32::MAX)
    };
    // One more, so that the end of the text has a block too.
    text.as_bytes().chunks(BLOCK).chain([&[][..]]).map(&mut next).collect()
}

/// How many bytes begin a character.
fn beginnings(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// All sources of one compilation, by id.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// Adds a source and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let id = SourceId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        self.sources.push(Source::new(id, name, text));
        id
    }

    /// The source with this id, if there is one.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// All sources in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_on_long_lines_are_those_of_a_count(parts in prop::collection::vec(("[aé目\n😀]{0,3}", 1usize..900), 0..6)) {
            let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
            let source = Source::new(SourceId::default(), "a.trim", text.as_str());
            let offsets = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).step_by(97).chain([text.len()]);
            for at in offsets {
                let before = up_to(&text, at);
                let (line, column) = (before.matches('\n').count() + 1, before.chars().rev().take_while(|char| *char != '\n').count() + 1);
                prop_assert_eq!(source.position(u32::try_from(at).unwrap_or(u32::MAX)), Position { line, column });
                prop_assert_eq!(source.line_around(at), line_start(&text, at)..line_end(&text, at));
            }
        }
    }

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
