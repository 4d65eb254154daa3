//! Decoding of a file into text that a JSON parser accepts.
//!
//! [`decode`] takes bytes and returns text without a byte order mark, with the number of replacements that it took.
//! [`finite`] and [`replace_lone_surrogates`] repair JSON that a parser rejects.

use std::borrow::Cow;

use memchr::memmem;

use super::wire::string_end;

/// The numbers that are not finite, as Python writes them.
const NON_FINITE: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// What takes their place: a number that is too large to be read. As a value it becomes `null`, as a number of tokens it is
/// implausible.
const TOO_LARGE: &[u8] = b"1e999";

/// The decoded text of a file.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// The number of invalid sequences that were replaced with U+FFFD.
    pub(super) replaced: u64,
}

/// Decodes UTF-8, or UTF-16 with a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    let (text, replaced) = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes),
    };
    Decoded { text, replaced }
}

fn utf8(bytes: &[u8]) -> (Cow<'_, str>, u64) {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return (Cow::Borrowed(text), 0);
    }
    let replaced = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    (String::from_utf8_lossy(bytes), replaced as u64)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (Cow<'_, str>, u64) {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair));
    let mut replaced = 0;
    let text = char::decode_utf16(units).map(|result| {
        result.unwrap_or_else(|_| {
            replaced += 1;
            char::REPLACEMENT_CHARACTER
        })
    });
    (Cow::Owned(text.collect()), replaced)
}

/// Replaces `\uD8xx` escapes that lack their other half, since one of them makes a JSON parser reject the whole text.
pub(super) fn replace_lone_surrogates(text: Cow<'_, str>) -> (Cow<'_, str>, u64) {
    let lone = lone_surrogates(text.as_bytes());
    if lone.is_empty() {
        return (text, 0);
    }
    let mut text = text.into_owned();
    for at in &lone {
        text.replace_range(at + 2..at + 6, "fffd");
    }
    (Cow::Owned(text), lone.len() as u64)
}

/// A text of JSON with [`TOO_LARGE`] in place of numbers that are not finite, since one of them makes a JSON parser reject a whole
/// line. Returns `None` if it has none.
pub(super) fn finite(text: &str) -> Option<String> {
    let may_contain =
        |text: &str| ["Infinity", "NaN"].iter().any(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some());
    if !text.trim_start().starts_with(['{', '[']) || !may_contain(text) {
        return None;
    }
    let lines = text.split_inclusive('\n').map(|line| if may_contain(line) { finite_line(line) } else { line.into() });
    Some(lines.collect())
}

/// A line of JSON with [`TOO_LARGE`] in place of numbers that are not finite. A string does not continue on the next line.
fn finite_line(line: &str) -> Cow<'_, str> {
    let bytes = line.as_bytes();
    let (mut finite, mut copied, mut at) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let word = NON_FINITE.iter().find(|word| bytes[at..].starts_with(word.as_bytes()));
        match (bytes[at], word) {
            (b'"', _) => at = string_end(bytes, at) + 1,
            (_, Some(word)) => {
                finite.extend(&bytes[copied..at]);
                finite.extend(TOO_LARGE);
                at += word.len();
                copied = at;
            }
            _ => at += 1,
        }
    }
    finite.extend(&bytes[copied..]);
    // Only whole words were replaced.
    String::from_utf8(finite).map_or(line.into(), Cow::Owned)
}

/// The offsets of the escapes of lone surrogates, ascending.
fn lone_surrogates(bytes: &[u8]) -> Vec<usize> {
    let mut lone = Vec::new();
    let mut pair_end = 0;
    for slash in memmem::find_iter(bytes, b"\\u") {
        if slash < pair_end || !is_escape(bytes, slash) {
            continue;
        }
        match escaped_unit(bytes, slash) {
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(bytes, slash + 6), Some(0xDC00..=0xDFFF)) => {
                pair_end = slash + 12;
            }
            Some(0xD800..=0xDFFF) => lone.push(slash),
            _ => {}
        }
    }
    lone
}

/// Returns whether the backslash at this offset starts an escape, that is, is not escaped itself.
fn is_escape(bytes: &[u8], slash: usize) -> bool {
    bytes.get(..slash).is_some_and(|before| before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0)
}

/// The code unit of the `\uXXXX` escape at this offset.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (String, u64) {
        let decoded = decode(bytes);
        (decoded.text.into_owned(), decoded.replaced)
    }

    fn escapes(text: &[u8]) -> (String, u64) {
        let (text, lone) = replace_lone_surrogates(String::from_utf8_lossy(text));
        (text.into_owned(), lone)
    }

    #[test]
    fn byte_order_marks_are_dropped() {
        assert_eq!(text(b"\xEF\xBB\xBF{}"), ("{}".to_owned(), 0));
        assert_eq!(text(b"\xFF\xFE{\0}\0"), ("{}".to_owned(), 0));
        assert_eq!(text(b"\xFE\xFF\0{\0}"), ("{}".to_owned(), 0));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_and_counted() {
        assert_eq!(text(b"a\xFFb\xC3"), ("a\u{FFFD}b\u{FFFD}".to_owned(), 2));
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_kept() {
        assert_eq!(escapes(br#""\ud83d\ude00""#), (r#""\ud83d\ude00""#.to_owned(), 0));
        assert_eq!(escapes(br#""\ud83d x""#), (r#""\ufffd x""#.to_owned(), 1));
        assert_eq!(escapes(br#""\ud83d\ud83d\ude00\uDE00""#), (r#""\ufffd\ud83d\ude00\ufffd""#.to_owned(), 2));
    }

    #[test]
    fn numbers_that_are_not_finite_are_replaced_outside_strings() {
        let line = r#"{"a": NaN, "b": [-Infinity,Infinity], "NaN": "\" NaN"}"#;
        assert_eq!(finite(line).as_deref(), Some(r#"{"a": 1e999, "b": [1e999,1e999], "NaN": "\" NaN"}"#));
        assert_eq!(finite("{\"a\": \"open\n NaN}").as_deref(), Some("{\"a\": \"open\n 1e999}"));
        assert_eq!(finite("NaN is a number"), None);
    }

    #[test]
    fn an_escaped_backslash_starts_no_escape() {
        assert_eq!(escapes(br#""\\ud83d""#), (r#""\\ud83d""#.to_owned(), 0));
        assert_eq!(escapes(br#""\\\ud83d""#), (r#""\\\ufffd""#.to_owned(), 1));
        assert_eq!(escapes(br"\ud83"), (r"\ud83".to_owned(), 0));
    }
}
