//! The records of a file, whichever way they are laid out, and the count of those that are left out.
//!
//! A record that nests too deeply is left out here, before any reader follows its levels.

use std::collections::BTreeMap;

use memchr::{memchr2, memchr2_iter};
use serde_json::value::RawValue;

use super::sample;

/// The kind under which lines that are not JSON are counted.
pub(super) const BROKEN: &str = "broken line";

/// Levels of arrays and objects that a record may have: as many as the JSON reader follows.
const DEPTH: usize = 128;

/// The records of a text: its lines, or the elements of its one array, or its one value.
pub(super) fn records<'a>(text: &'a str, skipped: &mut Skipped) -> Vec<&'a str> {
    let mut records = all(text);
    records.retain(|record| skipped.takes(record));
    records
}

fn all(text: &str) -> Vec<&str> {
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
    /// Whether a record can be read; one that nests too deeply is counted instead.
    pub(super) fn takes(&mut self, json: &str) -> bool {
        let takes = !is_deep(json.as_bytes());
        if !takes {
            self.count(&format!("nested deeper than {DEPTH} levels"));
        }
        takes
    }

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

/// Whether JSON has more levels than may be. Brackets in strings are none.
fn is_deep(json: &[u8]) -> bool {
    // Most records have fewer brackets than levels are allowed; the others are followed byte by byte.
    if memchr2_iter(b'[', b'{', json).nth(DEPTH).is_none() {
        return false;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => at = string_end(json, at),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return true;
        }
        at += 1;
    }
    false
}

/// Where the string ends that begins at `open`.
fn string_end(json: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(found) = json.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if json[at] == b'"' {
            return at;
        }
        at += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        records(text, &mut Skipped::default())
    }

    #[test]
    fn a_record_that_nests_too_deeply_is_counted_and_its_neighbours_are_read() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let text = format!("{}\n{}\n7\n", nested(DEPTH), nested(DEPTH + 1));
        let mut skipped = Skipped::default();
        assert_eq!(records(&text, &mut skipped), [nested(DEPTH).as_str(), "7"]);
        assert_eq!(skipped.0.into_iter().collect::<Vec<_>>(), [("nested deeper than 128 levels".to_owned(), 1)]);
    }

    #[test]
    fn brackets_in_strings_are_no_levels() {
        let text = format!(r#"{{"a":"\\","b":"\"{}","c":"{}"}}"#, "[".repeat(500), "{".repeat(500));
        assert!(!is_deep(text.as_bytes()));
        let text = format!(r#"{{"a":"\\","b":{}"#, "[".repeat(500));
        assert!(is_deep(text.as_bytes()));
        assert!(!is_deep(format!("\"{}\\", "[".repeat(500)).as_bytes()));
    }

    #[test]
    fn records_are_lines_or_elements_or_the_document() {
        assert_eq!(of("{\"a\":1}\r\n\n{\"a\":2}"), ["{\"a\":1}", "{\"a\":2}"]);
        assert_eq!(of("[1,\n 2]\n"), ["1", "2"]);
        assert_eq!(of("{\n\"a\":1}"), ["{\n\"a\":1}"]);
    }
}
