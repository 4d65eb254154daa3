//! A source text with edits applied, and the mapping of offsets between the two.
//!
//! Recoverable errors are fixed in a patched copy, which is parsed again. Spans in the tree and in diagnostics always
//! point into the author's text.

use std::borrow::Cow;

use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{slice, starting_at};

/// A text and its patched copy.
pub(super) struct PatchedSource<'s> {
    original: &'s str,
    text: Cow<'s, str>,
    patches: Vec<Patch>,
}

/// A replaced range of the original.
#[derive(Clone, Debug)]
struct Patch {
    /// The range in the original.
    original: (usize, usize),
    /// The range in the patched text.
    patched: (usize, usize),
    replacement: String,
}

impl<'s> PatchedSource<'s> {
    /// A text without edits.
    pub(super) const fn new(original: &'s str) -> Self {
        Self { original, text: Cow::Borrowed(original), patches: Vec::new() }
    }

    /// The patched text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether these edits touch no existing patch.
    pub(super) fn accepts(&self, edits: &[TextEdit]) -> bool {
        let touches = |edit: &TextEdit| {
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            self.patches.iter().any(|made| start <= made.original.1 && made.original.0 <= end)
        };
        !edits.is_empty() && !edits.iter().any(touches)
    }

    /// Applies more edits. Of edits that touch each other only the first is applied.
    pub(super) fn with(self, edits: impl IntoIterator<Item = TextEdit>) -> Self {
        let mut patches = self.patches;
        for edit in edits {
            let original = (edit.span.start as usize, edit.span.end as usize);
            patches.push(Patch { original, patched: (0, 0), replacement: edit.text });
        }
        patches.sort_by_key(|patch| patch.original);
        patches.dedup_by(|next, before| next.original.0 <= before.original.1);
        let (mut text, mut at) = (String::with_capacity(self.original.len()), 0);
        for patch in &mut patches {
            text += slice(self.original, at..patch.original.0);
            patch.patched = (text.len(), text.len() + patch.replacement.len());
            text += &patch.replacement;
            at = patch.original.1;
        }
        text += starting_at(self.original, at);
        Self { original: self.original, text: Cow::Owned(text), patches }
    }

    /// The start in the original of something that starts here in the patched text.
    pub(super) fn original_start(&self, at: usize) -> usize {
        self.to_original(at, |patch| patch.patched.0 < at || patch.patched == (at, at))
    }

    /// The end in the original of something that ends here in the patched text.
    pub(super) fn original_end(&self, at: usize) -> usize {
        self.to_original(at, |patch| patch.patched.0 < at)
    }

    /// The start in the patched text of something that starts here in the original.
    pub(super) fn patched_start(&self, at: usize) -> usize {
        self.to_patched(at, |patch| patch.original.0 < at)
    }

    /// The end in the patched text of something that ends here in the original.
    pub(super) fn patched_end(&self, at: usize) -> usize {
        self.to_patched(at, |patch| patch.original.1 <= at)
    }

    fn to_original(&self, at: usize, is_before: impl Fn(&Patch) -> bool) -> usize {
        match self.last(is_before) {
            None => at,
            Some(patch) if at >= patch.patched.1 => patch.original.1 + (at - patch.patched.1),
            Some(patch) => patch.original.1,
        }
    }

    fn to_patched(&self, at: usize, is_before: impl Fn(&Patch) -> bool) -> usize {
        match self.last(is_before) {
            None => at,
            Some(patch) => patch.patched.1 + at.saturating_sub(patch.original.1),
        }
    }

    fn last(&self, is_before: impl Fn(&Patch) -> bool) -> Option<&Patch> {
        self.patches[..self.patches.partition_point(is_before)].last()
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::source::{SourceId, Span};

    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> TextEdit {
        TextEdit { span: Span::new(SourceId(0), start, end), text: text.to_owned() }
    }

    #[test]
    fn offsets_are_mapped_in_both_directions() {
        //                               0123456789012345678
        let patched = PatchedSource::new("polcy p { a { b; } }")
            .with([edit(15, 16, "")])
            .with([edit(0, 5, "policy"), edit(10, 10, "rule ")]);
        assert_eq!(patched.text(), "policy p { rule a { b } }");
        let spans = [(0, 6, (0, 5)), (7, 8, (6, 7)), (11, 15, (10, 10)), (16, 17, (10, 11)), (20, 21, (14, 15))];
        for (start, end, original) in spans {
            let found = (patched.original_start(start), patched.original_end(end));
            assert_eq!(found, original, "{:?}", slice(patched.text(), start..end));
        }
        let regions = [((0, 5), "policy"), ((0, 7), "policy p"), ((10, 20), "rule a { b } }"), ((14, 15), "b")];
        for ((start, end), text) in regions {
            assert_eq!(slice(patched.text(), patched.patched_start(start)..patched.patched_end(end)), text);
        }
    }

    #[test]
    fn edits_that_touch_a_patch_are_not_accepted() {
        let patched = PatchedSource::new("a && b").with([edit(2, 4, "and")]);
        assert!(!patched.accepts(&[edit(2, 4, "or")]));
        assert!(!patched.accepts(&[]));
        assert!(patched.accepts(&[edit(5, 6, "c")]));
        assert_eq!(patched.with([edit(5, 6, "c"), edit(5, 6, "d")]).text(), "a and c");
    }
}
