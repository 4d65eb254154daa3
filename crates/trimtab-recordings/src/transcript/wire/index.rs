//! The index of a JSON text: where each value begins and ends, and what it contains.

use memchr::memchr;

use super::quotes::Quotes;
use crate::transcript::limit::{MAX_ITEMS, MAX_VALUES};

/// The entry of a value in an index. The entries of what it contains follow it, in the order of the text; the name of a
/// field precedes its value.
///
/// An index is a list of bytes, so that a part of it can pass through a deserializer without being copied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Where the text of the value begins, in bytes.
    pub(super) start: u32,
    /// Where it ends.
    pub(super) end: u32,
    /// The number of entries of the value and of what it contains.
    pub(super) size: u32,
}

/// A [`Node`] as bytes.
pub(super) type Entry = [[u8; 4]; 3];

impl Node {
    /// The length of an entry in bytes.
    pub(super) const LENGTH: usize = 12;

    /// The first entry of an index.
    pub(super) fn first(nodes: &[u8]) -> Option<Self> {
        let ([start, end, size], _) = nodes.first_chunk::<{ Self::LENGTH }>()?.as_chunks() else { return None };
        let [start, end, size] = [start, end, size].map(|bytes| u32::from_le_bytes(*bytes));
        Some(Self { start, end, size })
    }

    /// The entry of a value.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "texts are shorter than 4 GiB, and entries are as many at most"
    )]
    fn entry(start: usize, end: usize, size: usize) -> Entry {
        // Not `map`, which takes most of the time of a build without optimisation.
        [(start as u32).to_le_bytes(), (end as u32).to_le_bytes(), (size as u32).to_le_bytes()]
    }
}

/// Checks a JSON text shorter than 4 GiB and adds the entries of its values to a list, and its objects, arrays and texts in
/// arrays to a number. Returns whether it is valid and one value, within the limits; otherwise the list stays as it was.
pub(super) fn add(json: &[u8], quotes: &mut Quotes, nodes: &mut Vec<Entry>, items: &mut usize) -> bool {
    let length = nodes.len();
    // Room for an entry each 96 bytes, which is enough for most records.
    nodes.reserve(json.len() / 96 + 1);
    let is_valid = quotes.find(json) && Indexer { json, quotes, nodes, items, open: Vec::new() }.index().is_some();
    if !is_valid {
        nodes.truncate(length);
    }
    is_valid
}

struct Indexer<'a> {
    json: &'a [u8],
    quotes: &'a Quotes,
    nodes: &'a mut Vec<Entry>,
    /// The objects, arrays and texts in arrays so far.
    items: &'a mut usize,
    /// The arrays and objects that are open.
    open: Vec<Open>,
}

/// An array or an object whose end has not been read.
#[derive(Clone, Copy, Debug)]
struct Open {
    is_object: bool,
    /// Where its text begins.
    start: usize,
    /// Where its entry stands.
    place: usize,
}

impl Indexer<'_> {
    fn index(mut self) -> Option<()> {
        let mut at = self.skip_space(0);
        loop {
            // A value begins here.
            let is_open = matches!(self.json.get(at)?, b'[' | b'{');
            let mut after = if is_open { self.open(at)? } else { self.scalar(at)? };
            if is_open && !self.closes(after) {
                at = self.next_value(after)?;
                continue;
            }
            loop {
                after = self.skip_space(after);
                if self.open.is_empty() {
                    return (after == self.json.len()).then_some(());
                }
                if self.json.get(after) == Some(&b',') {
                    at = self.next_value(self.skip_space(after + 1))?;
                    break;
                }
                if !self.closes(after) {
                    return None;
                }
                after += 1;
                self.close(after);
            }
        }
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while matches!(self.json.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            at += 1;
        }
        at
    }

    /// Reads the opening bracket of an array or an object. Returns where its content begins.
    fn open(&mut self, start: usize) -> Option<usize> {
        self.count_item()?;
        let is_object = self.json.get(start) == Some(&b'{');
        self.open.push(Open { is_object, start, place: self.nodes.len() });
        // Its entry is completed when it closes.
        self.nodes.push(Node::entry(start, 0, 0));
        Some(self.skip_space(start + 1))
    }

    /// Counts an object, an array or a text in an array. Returns `None` beyond the limits.
    fn count_item(&mut self) -> Option<()> {
        *self.items += 1;
        if *self.items > MAX_ITEMS { None } else { self.check_values() }
    }

    /// Returns `None` when there are too many values, which counts as too many items.
    fn check_values(&mut self) -> Option<()> {
        if self.nodes.len() <= MAX_VALUES {
            return Some(());
        }
        *self.items = MAX_ITEMS + 1;
        None
    }

    /// Returns whether the innermost array or object closes at an offset.
    fn closes(&self, at: usize) -> bool {
        let end = self.open.last().map(|open| if open.is_object { b'}' } else { b']' });
        self.json.get(at).copied() == end
    }

    /// Completes the entry of the innermost array or object.
    fn close(&mut self, end: usize) {
        let Some(Open { start, place, .. }) = self.open.pop() else { return };
        let entry = Node::entry(start, end, self.nodes.len() - place);
        if let Some(node) = self.nodes.get_mut(place) {
            *node = entry;
        }
    }

    /// Reads what precedes a value: the name of a field, if it is in an object. Returns where the value begins.
    fn next_value(&mut self, at: usize) -> Option<usize> {
        if !self.open.last().is_some_and(|open| open.is_object) {
            return Some(at);
        }
        let after = self.string(at)?;
        let colon = self.skip_space(after);
        (self.json.get(colon)? == &b':').then(|| self.skip_space(colon + 1))
    }

    /// Reads a value other than an array or an object. Returns the offset after it.
    fn scalar(&mut self, start: usize) -> Option<usize> {
        if self.json.get(start) == Some(&b'"') {
            if self.open.last().is_some_and(|open| !open.is_object) {
                self.count_item()?;
            }
            return self.string(start);
        }
        self.check_values()?;
        let rest = self.json.get(start..)?;
        let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
        let text = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
        if !matches!(text, b"true" | b"false" | b"null") && !is_number(text) {
            return None;
        }
        Some(self.add(start, start + text.len()))
    }

    /// Reads a string. Returns the offset after it.
    fn string(&mut self, start: usize) -> Option<usize> {
        if self.json.get(start)? != &b'"' {
            return None;
        }
        let last = self.quotes.next(start + 1)?;
        Some(self.add(start, last + 1))
    }

    /// Adds the entry of a scalar. Returns where it ends.
    fn add(&mut self, start: usize, end: usize) -> usize {
        self.nodes.push(Node::entry(start, end, 1));
        end
    }
}

/// Returns whether a text is a JSON number.
fn is_number(text: &[u8]) -> bool {
    let whole = without_digits(text.strip_prefix(b"-").unwrap_or(text));
    let Some((digits, rest)) = whole else { return false };
    if digits.len() > 1 && digits.starts_with(b"0") {
        return false;
    }
    let rest = match rest.strip_prefix(b".").map(without_digits) {
        Some(fraction) => fraction.map(|(_, rest)| rest),
        None => Some(rest),
    };
    match rest {
        None => false,
        Some([b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..]) => {
            without_digits(exponent).is_some_and(|(_, rest)| rest.is_empty())
        }
        Some(rest) => rest.is_empty(),
    }
}

/// Returns the digits at the beginning of a text, and the rest, or `None` without a digit.
fn without_digits(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (length > 0).then(|| text.split_at(length))
}

/// The offset of the closing quotation mark of the string that opens at `open`, or the length of a text without it.
pub(crate) fn string_end(json: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(found) = json.get(at..).and_then(|rest| memchr(b'"', rest)) {
        at += found;
        let escapes = json[open + 1..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if escapes % 2 == 0 {
            return at;
        }
        at += 1;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::*;

    fn is_valid(json: &str) -> bool {
        add(json.as_bytes(), &mut Quotes::default(), &mut Vec::new(), &mut 0)
    }

    /// Pieces of JSON, so that many texts are valid and most of the others nearly so.
    const PIECE: &str = concat!(
        r#"[\[\]{}:, \n"]|"[a-z]{0,70}"|"(\\["\\/bfnrtux]|\\u[0-9a-dD]{3,4}|é|[ -~]){0,9}"|[\t\x01]|"#,
        r#"-?(0|[1-9][0-9]{0,2})(\.[0-9]{0,2})?([eE][+-]?[0-9]{0,2})?|true|false|null|nul|\\{1,3}"#,
    );

    proptest! {
        #[test]
        fn texts_are_valid_that_serde_json_accepts(
            pieces in prop::collection::vec(PIECE, 0..12),
            spaces in 0_usize..130,
        ) {
            // The offset decides where the pieces meet the ends of blocks.
            let content = pieces.concat();
            for json in [content.clone(), format!("[{content}]"), format!("{{\"a\":{content}}}"), format!("\"{content}\"")] {
                let json = " ".repeat(spaces) + &json;
                let expected = serde_json::from_str::<IgnoredAny>(&json).is_ok();
                prop_assert_eq!(is_valid(&json), expected, "{}", json);
            }
        }
    }
}
