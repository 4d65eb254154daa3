//! The lines of a text that a diagnostic points at.

use trimtab_base::source::{Position, Source, SourceId};

/// A whole text, or stretches of whole lines with the bytes and line numbers of the full text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Excerpt {
    name: String,
    windows: Vec<Window>,
}

/// A stretch of lines.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// The byte of the full text that it begins with.
    start: usize,
    /// The lines of the full text before it.
    lines_before: usize,
    text: Source,
}

impl Window {
    /// Lines that begin with this byte of the full text, after so many lines.
    pub(crate) fn new(start: usize, lines_before: usize, text: &str) -> Self {
        Self { start, lines_before, text: Source::new(SourceId::default(), "", text) }
    }

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

    /// Stretches of a text, of which those that overlap or touch become one.
    pub(crate) fn joined(name: String, mut windows: Vec<Window>) -> Self {
        windows.sort_by_key(|window| (window.start, std::cmp::Reverse(window.end())));
        let mut excerpt = Self { name, windows: Vec::new() };
        for window in windows {
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
    use super::*;

    #[test]
    fn overlapping_stretches_become_one() {
        let text: String = (1..=20).map(|number| format!("line {number}\n")).collect();
        let whole = Excerpt::of(&Source::new(SourceId::default(), "a.trim", text.as_str()));
        let lines = |first: usize, last: usize| {
            let (start, end) = (whole.line_start(first), whole.line_start(last + 1));
            Window::new(start, first - 1, text.get(start..end).unwrap_or_default())
        };
        let excerpt = Excerpt::joined("a.trim".to_owned(), vec![lines(16, 18), lines(3, 5), lines(4, 6)]);
        assert_eq!((excerpt.line(4), excerpt.line(6), excerpt.line(17)), ("line 4", "line 6", "line 17"));
        let start = whole.line_start(17);
        assert_eq!(excerpt.position(start + 5), Position { line: 17, column: 6 });
        assert_eq!((excerpt.line_start(17), excerpt.slice(start..start + 7)), (start, "line 17"));
        assert_eq!((excerpt.windows.len(), excerpt.name()), (2, "a.trim"));
    }
}
