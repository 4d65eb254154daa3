//! The lines of a source code that a diagnostic points at, read through miette.

use miette::{SourceCode, SourceSpan};
use trimtab_base::source::{Position, Source, SourceId};

/// A whole text, or stretches of whole lines with the bytes and line numbers of the full text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Excerpt {
    name: String,
    windows: Vec<Window>,
}

/// A stretch of lines.
#[derive(Clone, Debug)]
struct Window {
    /// The byte of the full text that it begins with.
    start: usize,
    /// The lines of the full text before it.
    lines_before: usize,
    text: Source,
}

impl Window {
    fn end(&self) -> usize {
        self.start + self.text.text().len()
    }
}

impl Excerpt {
    /// A whole source, without a copy: a finding on a line with many others costs no more than one on a line of its own.
    pub(crate) fn of(source: &Source) -> Self {
        let window = Window { start: 0, lines_before: 0, text: source.clone() };
        Self { name: source.name().to_owned(), windows: vec![window] }
    }

    /// Reads the lines of some spans and their neighbours. A span outside the text is skipped.
    pub(crate) fn read(code: &dyn SourceCode, spans: impl IntoIterator<Item = SourceSpan>) -> Self {
        let mut excerpt = Self::default();
        let mut all: Vec<Window> = Vec::new();
        for span in spans {
            let Ok(contents) = code.read_span(&span, 1, 1) else { continue };
            let Ok(text) = std::str::from_utf8(contents.data()) else { continue };
            contents.name().unwrap_or_default().clone_into(&mut excerpt.name);
            let text = Source::new(SourceId::default(), "", text);
            all.push(Window { start: contents.span().offset(), lines_before: contents.line(), text });
        }
        all.sort_by_key(|window| (window.start, std::cmp::Reverse(window.end())));
        for window in all {
            match excerpt.windows.last_mut().filter(|last| window.start <= last.end()) {
                Some(last) => join(last, &window),
                None => excerpt.windows.push(window),
            }
        }
        excerpt
    }

    /// The name of the source code.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether nothing could be read.
    pub(crate) fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// The window of a byte, else the last one before it.
    fn window(&self, byte: usize) -> Option<&Window> {
        let after = self.windows.partition_point(|window| window.start <= byte);
        self.windows.get(after.saturating_sub(1))
    }

    fn window_of_line(&self, number: usize) -> Option<&Window> {
        let after = self.windows.partition_point(|window| window.lines_before < number);
        self.windows.get(after.saturating_sub(1))
    }

    /// Line and column of a byte.
    pub(crate) fn position(&self, byte: usize) -> Position {
        let Some(window) = self.window(byte) else { return Position { line: 1, column: 1 } };
        let offset = u32::try_from(byte.saturating_sub(window.start)).unwrap_or(u32::MAX);
        let Position { line, column } = window.text.position(offset);
        Position { line: line + window.lines_before, column }
    }

    /// A line without its line break.
    pub(crate) fn line(&self, number: usize) -> &str {
        let window = self.window_of_line(number);
        window.map_or("", |window| window.text.line(number.saturating_sub(window.lines_before)))
    }

    /// The first byte of a line.
    pub(crate) fn line_start(&self, number: usize) -> usize {
        let window = self.window_of_line(number);
        window.map_or(0, |window| window.start + window.text.line_start(number.saturating_sub(window.lines_before)))
    }

    /// The stretch of lines around a byte, with its first byte.
    pub(crate) fn around(&self, byte: usize) -> Option<(usize, &str)> {
        self.window(byte).map(|window| (window.start, window.text.text()))
    }

    /// The end of the line of a byte, before its line break.
    pub(crate) fn line_end(&self, byte: usize) -> usize {
        let Some(window) = self.window(byte) else { return byte };
        let line = self.position(byte).line - window.lines_before;
        let (start, next) = (window.text.line_start(line), window.text.line_start(line + 1));
        let is_broken = next > start && window.text.text().as_bytes().get(next - 1) == Some(&b'\n');
        window.start + next - usize::from(is_broken)
    }

    /// The text of some bytes; empty when they were not read.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> &str {
        let text = self
            .around(range.start)
            .and_then(|(start, text)| text.get(range.start.checked_sub(start)?..range.end.checked_sub(start)?));
        text.unwrap_or_default()
    }
}

/// Appends to a window what another that overlaps or touches it has beyond its end.
fn join(window: &mut Window, next: &Window) {
    let beyond = window.end() - next.start;
    if let Some(rest) = next.text.text().get(beyond..).filter(|rest| !rest.is_empty()) {
        window.text = Source::new(SourceId::default(), "", format!("{}{rest}", window.text.text()));
    }
}

#[cfg(test)]
mod tests {
    use miette::NamedSource;

    use super::*;

    fn read(text: &str, spans: &[(usize, usize)]) -> Excerpt {
        Excerpt::read(&NamedSource::new("a.trim", text.to_owned()), spans.iter().map(|&span| span.into()))
    }

    #[test]
    fn lines_keep_their_numbers_and_bytes() {
        let text: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let at = |words: &str| (text.find(words).unwrap_or_default(), words.len());
        let excerpt = read(&text, &[at("line 17"), at("line 4"), at("line 5")]);
        assert_eq!((excerpt.line(4), excerpt.line(5), excerpt.line(17)), ("line 4", "line 5", "line 17"));
        let start = at("line 17").0;
        assert_eq!(excerpt.position(start + 5), Position { line: 17, column: 6 });
        assert_eq!((excerpt.line_start(17), excerpt.slice(start..start + 7)), (start, "line 17"));
        assert_eq!((excerpt.windows.len(), excerpt.name()), (2, "a.trim"));
    }

    #[test]
    fn a_span_outside_the_text_is_skipped() {
        assert!(read("short", &[(90, 5)]).is_empty());
    }
}
