//! Very long lines and texts shortened to what is worth showing.

use std::borrow::Cow;
use std::ops::Range;

use trimtab_base::source::slice;

use super::Mark;

/// The longest line that is not shortened, in bytes.
const WHOLE: usize = 4_000;
/// The context before and after each end of a mark, in bytes.
const AROUND: usize = 160;

/// The pieces of a line that are shown, in order, as bytes of the line.
pub(super) fn pieces(line: &str, marks: &[Mark<'_>]) -> Vec<Range<usize>> {
    if line.len() <= WHOLE {
        return std::iter::once(0..line.len()).collect();
    }
    let ends = marks.iter().flat_map(|mark| [mark.range.start, mark.range.end]);
    let mut all: Vec<Range<usize>> = ends.map(|at| around(line, at)).collect();
    if all.is_empty() {
        all.push(around(line, 0));
    }
    all.sort_by_key(|piece| piece.start);
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for piece in all {
        match pieces.last_mut().filter(|last| piece.start <= last.end) {
            Some(last) => last.end = last.end.max(piece.end),
            None => pieces.push(piece),
        }
    }
    pieces
}

/// The surroundings of a byte, cut between characters.
fn around(line: &str, at: usize) -> Range<usize> {
    let at = at.min(line.len());
    let start = (0..=at.saturating_sub(AROUND)).rev().find(|&start| line.is_char_boundary(start)).unwrap_or(0);
    let end = (at + AROUND..line.len()).find(|&end| line.is_char_boundary(end)).unwrap_or(line.len());
    start..end
}

/// The bytes of some lines, or those around an edit when the lines are very long.
pub(crate) fn shorten_lines(text: &str, lines: Range<usize>, edit: Range<usize>) -> Range<usize> {
    if lines.len() <= WHOLE {
        return lines;
    }
    around(text, edit.start).start.max(lines.start)..around(text, edit.end).end.min(lines.end)
}

/// A text, or the beginning and the end of a very long one.
pub(crate) fn shorten_text(text: &str) -> Cow<'_, str> {
    if text.len() <= WHOLE {
        return Cow::Borrowed(text);
    }
    let (head, tail) = (around(text, 0), around(text, text.len()));
    Cow::Owned(format!("{} ... {}", slice(text, head), slice(text, tail)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::snippet::Paint;

    fn of(line: &str, places: &[Range<usize>]) -> Vec<Range<usize>> {
        let mark = |range: &Range<usize>| Mark { range: range.clone(), symbol: '^', paint: Paint::Frame, label: "" };
        pieces(line, &places.iter().map(mark).collect::<Vec<_>>())
    }

    #[test]
    fn a_long_text_is_shortened_to_its_ends() {
        let text = format!("begin{}end", "é".repeat(50_000));
        let shortened = shorten_text(&text);
        assert!(
            shortened.starts_with("begin") && shortened.ends_with("end") && shortened.len() < 1_000,
            "{}",
            shortened.len()
        );
        assert_eq!(shorten_text("short"), "short");
    }

    #[test]
    fn a_long_line_is_shortened_to_the_surroundings_of_its_marks() {
        let line = "é ".repeat(20_000);
        let far = of(&line, &[30_000..30_001, 0..2, 30_100..59_000]);
        assert_eq!(far.len(), 3);
        assert!(far.iter().all(|piece| line.get(piece.clone()).is_some()), "{far:?}");
        assert_eq!(far[0].start, 0);
        assert!(far[1].start < 30_000 && far[1].end > 30_100 && far[2].end > 59_000, "{far:?}");
        assert_eq!(of(&line, &[]).len(), 1);
        assert_eq!(of("short", &[1..2, 3..4]).first(), Some(&(0..5)));
    }
}
