//! A text in which mistakes that can mean only one thing are set right, so that reading goes on behind them.
//!
//! In: a text and changes of it. Out: the changed text, and places of the one in the other. It does not know what the
//! changes are for; the author's text stays as it is, and every place in tree and findings is one of it.

use std::borrow::Cow;

use crate::diagnostic::TextEdit;
use crate::source::{slice, starting_at};

/// A text with its changes.
pub(super) struct Mended<'s> {
    original: &'s str,
    text: Cow<'s, str>,
    changes: Vec<Change>,
}

/// A stretch of the original and what stands for it in the changed text.
#[derive(Clone, Debug)]
struct Change {
    from: (usize, usize),
    to: (usize, usize),
    text: String,
}

impl<'s> Mended<'s> {
    /// A text as it is.
    pub(super) const fn new(original: &'s str) -> Self {
        Self { original, text: Cow::Borrowed(original), changes: Vec::new() }
    }

    /// The text with all changes.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a change could be made beside those that are made already.
    pub(super) fn takes(&self, edits: &[TextEdit]) -> bool {
        let touches = |edit: &TextEdit| {
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            self.changes.iter().any(|made| start <= made.from.1 && made.from.0 <= end)
        };
        !edits.is_empty() && !edits.iter().any(touches)
    }

    /// The same text with more changes; of those that touch each other the first counts.
    pub(super) fn with(self, edits: impl IntoIterator<Item = TextEdit>) -> Self {
        let mut changes = self.changes;
        for edit in edits {
            let from = (edit.span.start as usize, edit.span.end as usize);
            changes.push(Change { from, to: (0, 0), text: edit.text });
        }
        changes.sort_by_key(|change| change.from);
        changes.dedup_by(|next, before| next.from.0 <= before.from.1);
        let (mut text, mut at) = (String::with_capacity(self.original.len()), 0);
        for change in &mut changes {
            text += slice(self.original, at..change.from.0);
            change.to = (text.len(), text.len() + change.text.len());
            text += &change.text;
            at = change.from.1;
        }
        text += starting_at(self.original, at);
        Self { original: self.original, text: Cow::Owned(text), changes }
    }

    /// Where something that starts here in the changed text starts in the original.
    pub(super) fn start(&self, at: usize) -> usize {
        self.origin(at, |change| change.to.0 < at || change.to == (at, at))
    }

    /// Where something that ends here in the changed text ends in the original.
    pub(super) fn end(&self, at: usize) -> usize {
        self.origin(at, |change| change.to.0 < at)
    }

    /// A place of the original by the last change that lies before it.
    fn origin(&self, at: usize, lies_before: impl Fn(&Change) -> bool) -> usize {
        match self.last(lies_before) {
            None => at,
            Some(change) if at >= change.to.1 => change.from.1 + (at - change.to.1),
            Some(change) => change.from.1,
        }
    }

    /// Where something that starts here in the original starts in the changed text.
    pub(super) fn mended_start(&self, at: usize) -> usize {
        self.image(at, |change| change.from.0 < at)
    }

    /// Where something that ends here in the original ends in the changed text.
    pub(super) fn mended_end(&self, at: usize) -> usize {
        self.image(at, |change| change.from.1 <= at)
    }

    fn image(&self, at: usize, lies_before: impl Fn(&Change) -> bool) -> usize {
        match self.last(lies_before) {
            None => at,
            Some(change) => change.to.1 + at.saturating_sub(change.from.1),
        }
    }

    fn last(&self, lies_before: impl Fn(&Change) -> bool) -> Option<&Change> {
        self.changes[..self.changes.partition_point(lies_before)].last()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceId, Span};

    fn edit(start: usize, end: usize, text: &str) -> TextEdit {
        TextEdit { span: Span::new(SourceId(0), start, end), text: text.to_owned() }
    }

    #[test]
    fn places_of_a_changed_text_are_places_of_the_original() {
        //                        0123456789012345678
        let mended = Mended::new("polcy p { a { b; } }")
            .with([edit(15, 16, "")])
            .with([edit(0, 5, "policy"), edit(10, 10, "rule ")]);
        assert_eq!(mended.text(), "policy p { rule a { b } }");
        let spans = [(0, 6, (0, 5)), (7, 8, (6, 7)), (11, 15, (10, 10)), (16, 17, (10, 11)), (20, 21, (14, 15))];
        for (start, end, place) in spans {
            assert_eq!((mended.start(start), mended.end(end)), place, "{:?}", slice(mended.text(), start..end));
        }
        let stretches = [((0, 5), "policy"), ((0, 7), "policy p"), ((10, 20), "rule a { b } }"), ((14, 15), "b")];
        for ((start, end), text) in stretches {
            assert_eq!(slice(mended.text(), mended.mended_start(start)..mended.mended_end(end)), text);
        }
    }

    #[test]
    fn a_place_is_changed_once() {
        let mended = Mended::new("a && b").with([edit(2, 4, "and")]);
        assert!(!mended.takes(&[edit(2, 4, "or")]));
        assert!(!mended.takes(&[]));
        assert!(mended.takes(&[edit(5, 6, "c")]));
        assert_eq!(mended.with([edit(5, 6, "c"), edit(5, 6, "d")]).text(), "a and c");
    }
}
