//! JSON texts with the index of their values.

use std::ops::Range;

use super::index::{self, Entry};
use super::json::Raw;
use super::quotes::Quotes;
use crate::transcript::limit::MAX_ITEMS;

/// The index of several JSON texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    nodes: Vec<Entry>,
    quotes: Quotes,
    /// The texts, and the objects, arrays and texts in arrays that they have; more than [`MAX_ITEMS`] if a limit is exceeded.
    items: usize,
    /// Whether a text was not added because the limits would have been exceeded.
    is_full: bool,
}

impl Index {
    /// Checks a JSON text and indexes it. Returns its part of the index, or `None` if it is invalid, if anything follows the
    /// value, if it has 4 GiB or more, or if all texts together exceed the limits of what a file may hold.
    pub(crate) fn add(&mut self, text: &str) -> Option<Range<usize>> {
        if self.is_full {
            return None;
        }
        let start = self.nodes.len();
        self.items += 1;
        let is_valid = u32::try_from(text.len()).is_ok()
            && index::add(text.as_bytes(), &mut self.quotes, &mut self.nodes, &mut self.items);
        self.is_full = self.items > MAX_ITEMS;
        is_valid.then_some(start..self.nodes.len())
    }

    /// Returns whether a text was not added because the limits would have been exceeded.
    pub(crate) const fn is_full(&self) -> bool {
        self.is_full
    }

    /// The value of a text that was added, from its part of the index.
    pub(crate) fn raw<'a>(&'a self, text: &'a str, part: &Range<usize>) -> Raw<'a> {
        Raw::new(text, self.nodes.get(part.clone()).unwrap_or_default().as_flattened().as_flattened())
    }

    /// Returns whether any of the texts has escapes of surrogates.
    pub(crate) const fn has_surrogates(&self) -> bool {
        self.quotes.has_surrogates()
    }
}

/// A valid JSON text and the index of its values.
#[derive(Clone, Debug)]
pub(crate) struct Indexed<'a> {
    text: &'a str,
    nodes: Vec<Entry>,
}

impl<'a> Indexed<'a> {
    /// Checks a JSON text and indexes it. Returns `None` if it is invalid, if anything follows the value, or if it has
    /// 4 GiB or more.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let mut index = Index::default();
        index.add(text)?;
        Some(Self { text, nodes: index.nodes })
    }

    /// The value.
    pub(crate) fn raw(&self) -> Raw<'_> {
        Raw::new(self.text, self.nodes.as_flattened().as_flattened())
    }
}
