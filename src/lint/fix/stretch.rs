//! Stretches of one text, those that meet joined into one.

use std::collections::BTreeMap;

use crate::source::Span;

/// Stretches of one text: their starts with their ends.
#[derive(Debug, Default)]
pub(super) struct Stretches(BTreeMap<u32, u32>);

impl Stretches {
    /// Whether a span shares an end with one of them, or more.
    pub(super) fn touches(&self, span: Span) -> bool {
        self.0.range(..=span.end).next_back().is_some_and(|(_, end)| *end >= span.start)
    }

    /// Whether a span lies partly inside one of them; an empty one when it does not stand at an end.
    pub(super) fn overlaps(&self, span: Span) -> bool {
        self.0.range(..span.end).next_back().is_some_and(|(_, end)| *end > span.start)
    }

    /// Adds one.
    pub(super) fn add(&mut self, span: Span) {
        let (mut start, mut end) = (span.start, span.end);
        while let Some((&from, &to)) = self.0.range(..=end).next_back().filter(|(_, to)| **to >= start) {
            self.0.remove(&from);
            (start, end) = (start.min(from), end.max(to));
        }
        self.0.insert(start, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    #[test]
    fn stretches_that_meet_are_one() {
        let span = |start, end| Span { source: SourceId(0), start, end };
        let mut all = Stretches::default();
        for (start, end) in [(4, 6), (10, 12), (6, 7), (1, 2)] {
            all.add(span(start, end));
        }
        assert!(all.touches(span(7, 8)) && !all.overlaps(span(7, 8)));
        assert!(all.overlaps(span(5, 5)) && !all.overlaps(span(4, 4)) && all.touches(span(4, 4)));
        assert!(all.overlaps(span(6, 6)), "two that touch are one");
        assert!(!all.touches(span(8, 9)) && all.overlaps(span(0, 20)));
    }
}
