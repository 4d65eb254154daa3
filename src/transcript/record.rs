//! The records of a file, whichever way they are laid out, and the count of those that are left out.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::sample;

/// The kind under which lines that are not JSON are counted.
pub(super) const BROKEN: &str = "broken line";

/// The records of a text: its lines, or the elements of its one array, or its one value.
pub(super) fn records(text: &str) -> Vec<&str> {
    if let Some(items) = sample::whole::<Vec<&RawValue>>(text, '[') {
        return items.into_iter().map(RawValue::get).collect();
    }
    sample::whole::<&RawValue>(text, '{').map_or_else(|| lines(text), |whole| vec![whole.get()])
}

/// The lines that hold anything.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Records that are not part of the conversation, by kind.
#[derive(Debug, Default)]
pub(super) struct Skipped(pub(super) BTreeMap<String, u64>);

impl Skipped {
    /// Counts one more of a kind.
    pub(super) fn count(&mut self, kind: &str) {
        self.add(kind, 1);
    }

    /// Counts several more of a kind.
    pub(super) fn add(&mut self, kind: &str, number: u64) {
        if number == 0 {
            return;
        }
        match self.0.get_mut(kind) {
            Some(count) => *count += number,
            None => drop(self.0.insert(kind.to_owned(), number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_lines_or_elements_or_the_document() {
        assert_eq!(records("{\"a\":1}\r\n\n{\"a\":2}"), ["{\"a\":1}", "{\"a\":2}"]);
        assert_eq!(records("[1,\n 2]\n"), ["1", "2"]);
        assert_eq!(records("{\n\"a\":1}"), ["{\n\"a\":1}"]);
    }
}
