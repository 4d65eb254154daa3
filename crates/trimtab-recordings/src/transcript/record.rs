//! The records of a file, as lines, array elements or one document, and the count of skipped records.
//!
//! Records that nest too deeply are skipped here, before anything recurses into them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2_iter};

use super::wire::{Elements, Index, Indexed, Raw, string_end};
use super::{decode, limit};

/// The skipped kind for records of further kinds, when there are very many.
const OTHER_KINDS: &str = "record of another kind";

/// The skipped kind for lines that are not valid JSON.
pub(super) const BROKEN_LINE: &str = "broken line";

/// The nesting levels of arrays and objects that a record may have: the recursion limit of `serde_json`.
const MAX_DEPTH: usize = 128;

/// The text of a file, and what in it is JSON.
#[derive(Clone, Debug)]
pub(super) struct Input<'a> {
    text: &'a str,
    index: Index,
    json: Layout<'a>,
}

/// How JSON is laid out in a text. Each JSON text has a part of the index.
#[derive(Clone, Debug)]
enum Layout<'a> {
    /// The text is an object or an array.
    Whole(&'a str, Range<usize>),
    /// The text has lines. Those that are not JSON have no part of the index.
    Lines(Vec<(&'a str, Option<Range<usize>>)>),
}

impl<'a> Input<'a> {
    /// Checks a text, which is one JSON value unless its first line is a value by itself.
    pub(super) fn of(text: &'a str) -> Self {
        let mut index = Index::default();
        let trimmed = text.trim();
        let (first, rest) = split_line(trimmed);
        let may_be_whole = trimmed.starts_with(['{', '[']) && (rest.is_empty() || Indexed::of(first).is_none());
        let whole = may_be_whole.then(|| index.add(trimmed)).flatten();
        let json = if let Some(part) = whole {
            Layout::Whole(trimmed, part)
        } else {
            let mut all = Vec::new();
            for line in lines(text) {
                all.push((line, index.add(line)));
                if index.is_full() {
                    break;
                }
            }
            Layout::Lines(all)
        };
        Self { text, index, json }
    }

    /// The text as JSON that a parser accepts, if it has to be repaired: with a number that is read as `null` in place of
    /// those that are not finite, and with U+FFFD in place of lone surrogates, of which it also returns the number.
    pub(super) fn repaired(&self) -> Option<(String, u64)> {
        let is_broken = matches!(&self.json, Layout::Lines(lines) if lines.iter().any(|(_, part)| part.is_none()));
        if !is_broken && !self.index.has_surrogates() {
            return None;
        }
        let finite = if is_broken { decode::finite(self.text) } else { None };
        let text = finite.map_or(Cow::Borrowed(self.text), Cow::Owned);
        match decode::replace_lone_surrogates(text) {
            (Cow::Owned(text), lone) => Some((text, lone)),
            (Cow::Borrowed(_), _) => None,
        }
    }

    /// Returns the line, counted from 1, with which the text holds more than a file may, or `None` if it does not.
    pub(super) fn excess(&self) -> Option<usize> {
        let Layout::Lines(lines) = &self.json else { return None };
        let (line, _) = lines.last().filter(|_| self.index.is_full())?;
        let before = (line.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.as_bytes().get(..before).unwrap_or_default();
        Some(1 + memchr_iter(b'\n', before).count())
    }

    /// The whole text.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// The object or array that the text is.
    fn whole(&self) -> Option<Raw<'_>> {
        match &self.json {
            Layout::Whole(text, part) => Some(self.index.raw(text, part)),
            Layout::Lines(_) => None,
        }
    }

    /// The object that the text is.
    pub(super) fn document(&self) -> Option<Raw<'_>> {
        self.whole().filter(|raw| raw.is_object())
    }

    /// The elements of the array that the text is.
    pub(super) fn array(&self) -> Option<Elements<'_>> {
        self.whole().filter(|raw| raw.is_array()).map(Raw::elements)
    }

    /// The lines with their values, or `None` for a line that is not JSON. Empty if the text is one value.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'a str, Option<Raw<'_>>)> {
        let lines = match &self.json {
            Layout::Whole(..) => [].as_slice(),
            Layout::Lines(lines) => lines,
        };
        lines.iter().map(|(line, part)| (*line, part.as_ref().map(|part| self.index.raw(line, part))))
    }

    /// The records: the elements of the array or the document that the text is, or its lines. Counts lines that are not
    /// JSON and records that nest too deeply.
    pub(super) fn records(&self, skipped: &mut Skipped) -> Vec<Raw<'_>> {
        let mut records = Vec::new();
        for (line, json) in self.lines() {
            match json {
                Some(json) => records.push(json),
                None if skipped.accepts_text(line) => skipped.count(BROKEN_LINE),
                None => {}
            }
        }
        records.extend(self.document().into_iter().chain(self.array().into_iter().flatten()));
        records.retain(|raw| skipped.accepts(raw));
        records
    }

    /// The records, however deeply they nest. Counts lines that are not JSON.
    pub(super) fn deep_records(&self, skipped: &mut Skipped) -> Vec<Raw<'_>> {
        skipped.add(BROKEN_LINE, self.lines().filter(|(_, json)| json.is_none()).count() as u64);
        let lines = self.lines().filter_map(|(_, json)| json);
        lines.chain(self.document()).chain(self.array().into_iter().flatten()).collect()
    }
}

/// The lines of a text that are not blank, trimmed.
pub(super) fn lines(mut text: &str) -> impl Iterator<Item = &str> {
    let all = std::iter::from_fn(move || {
        let line;
        (line, text) = if text.is_empty() { return None } else { split_line(text) };
        Some(line)
    });
    all.map(str::trim).filter(|line| !line.is_empty())
}

/// The first line of a text without its end, and the rest.
fn split_line(text: &str) -> (&str, &str) {
    let end = memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default())
}

/// The number of skipped records, by kind.
#[derive(Debug, Default)]
pub(super) struct Skipped(pub(super) BTreeMap<String, u64>);

impl Skipped {
    /// Returns whether a record can be parsed. Counts it as skipped if it nests too deeply.
    pub(super) fn accepts(&mut self, raw: &Raw<'_>) -> bool {
        self.accepts_unless(raw.is_deeper_than(MAX_DEPTH))
    }

    /// Returns whether the text of a record can be parsed. Counts it as skipped if it nests too deeply.
    pub(super) fn accepts_text(&mut self, text: &str) -> bool {
        self.accepts_unless(is_deep(text.as_bytes()))
    }

    fn accepts_unless(&mut self, is_deep: bool) -> bool {
        if is_deep {
            self.count(&format!("nested deeper than {MAX_DEPTH} levels"));
        }
        !is_deep
    }

    /// Counts one skipped record of a kind.
    pub(super) fn count(&mut self, kind: &str) {
        self.add(kind, 1);
    }

    /// Counts several skipped records of a kind.
    pub(super) fn add(&mut self, kind: &str, number: u64) {
        if number == 0 {
            return;
        }
        // Names of kinds are often those of the recording.
        let kind = if self.0.len() < limit::MAX_KINDS || self.0.contains_key(kind) { kind } else { OTHER_KINDS };
        match self.0.get_mut(kind) {
            Some(count) => *count += number,
            None => drop(self.0.insert(kind.to_owned(), number)),
        }
    }
}

/// Returns whether JSON nests deeper than [`MAX_DEPTH`], ignoring brackets in strings.
pub(super) fn is_deep(json: &[u8]) -> bool {
    // Most records have too few brackets to nest that deeply; only the others are scanned byte by byte.
    if memchr2_iter(b'[', b'{', json).nth(MAX_DEPTH).is_none() {
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
        if depth > MAX_DEPTH {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        texts(text, &mut Skipped::default())
    }

    fn texts(text: &str, skipped: &mut Skipped) -> Vec<String> {
        Input::of(text).records(skipped).into_iter().map(|raw| raw.get().to_owned()).collect()
    }

    #[test]
    fn a_deeply_nested_record_is_skipped_and_counted_and_the_others_are_read() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let text = format!("{}\n{}\n7\n", nested(MAX_DEPTH), nested(MAX_DEPTH + 1));
        let mut skipped = Skipped::default();
        assert_eq!(texts(&text, &mut skipped), [nested(MAX_DEPTH).as_str(), "7"]);
        assert_eq!(skipped.0.into_iter().collect::<Vec<_>>(), [("nested deeper than 128 levels".to_owned(), 1)]);
    }

    #[test]
    fn brackets_in_strings_do_not_nest() {
        let text = format!(r#"{{"a":"\\","b":"\"{}","c":"{}"}}"#, "[".repeat(500), "{".repeat(500));
        assert!(!is_deep(text.as_bytes()));
        let text = format!(r#"{{"a":"\\","b":{}"#, "[".repeat(500));
        assert!(is_deep(text.as_bytes()));
        assert!(!is_deep(format!("\"{}\\", "[".repeat(500)).as_bytes()));
    }

    #[test]
    fn records_are_lines_array_elements_or_the_document() {
        assert_eq!(read("{\"a\":1}\r\n\n{\"a\":2}"), ["{\"a\":1}", "{\"a\":2}"]);
        assert_eq!(read("[1,\n 2]\n"), ["1", "2"]);
        assert_eq!(read("{\n\"a\":1}"), ["{\n\"a\":1}"]);
    }
}
