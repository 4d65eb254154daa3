//! Regions of a text; those that touch are merged.

use std::collections::BTreeMap;

use trimtab_base::source::Span;

/// Regions of a text: the end of each by its start.
#[derive(Debug, Default)]
pub(super) struct Regions(BTreeMap<u32, u32>);

impl Regions {
    /// Whether a span overlaps a region or adjoins one.
    pub(super) fn touches(&self, span: Span) -> bool {
        self.0.range(..=span.end).next_back().is_some_and(|(_, end)| *end >= span.start)
    }

    /// Whether a span overlaps a region; an empty span does when it lies strictly inside one.
    pub(super) fn overlaps(&self, span: Span) -> bool {
        self.0.range(..span.end).next_back().is_some_and(|(_, end)| *end > span.start)
    }

    /// Adds a region.
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
    use trimtab_base::source::SourceId;

    use super::*;

    #[test]
    fn regions_that_touch_are_merged() {
        let span = |start, end| Span { source: SourceId(0), start, end };
        let mut all = Regions::default();
        for (start, end) in [(4, 6), (10, 12), (6, 7), (1, 2)] {
            all.add(span(start, end));
        }
        assert!(all.touches(span(7, 8)) && !all.overlaps(span(7, 8)));
        assert!(all.overlaps(span(5, 5)) && !all.overlaps(span(4, 4)) && all.touches(span(4, 4)));
        assert!(all.overlaps(span(6, 6)), "touching regions are merged");
        assert!(!all.touches(span(8, 9)) && all.overlaps(span(0, 20)));
    }
}
