//! Slices of a text at byte offsets that never panic in release builds.
//!
//! An offset outside the text or inside a character yields an empty slice; debug builds panic.

use std::ops::Range;

/// The text up to an offset.
pub fn up_to(text: &str, end: usize) -> &str {
    slice(text, 0..end)
}

/// The text from an offset on.
pub fn starting_at(text: &str, start: usize) -> &str {
    slice(text, start..text.len())
}

/// The text between two offsets.
pub fn slice(text: &str, range: Range<usize>) -> &str {
    let piece = text.get(range.clone());
    debug_assert!(piece.is_some(), "{range:?} splits a character or lies outside {} bytes", text.len());
    piece.unwrap_or_default()
}

/// The start of the line that contains an offset.
pub fn line_start(text: &str, at: usize) -> usize {
    up_to(text, at).rfind('\n').map_or(0, |end| end + 1)
}

/// The end of the line that contains an offset, before its line break.
pub fn line_end(text: &str, at: usize) -> usize {
    starting_at(text, at).find('\n').map_or(text.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_of_text_with_multibyte_characters() {
        let text = "aµ\n目录 x";
        assert_eq!([up_to(text, 3), starting_at(text, 4), slice(text, 1..3)], ["aµ", "目录 x", "µ"]);
        assert_eq!([line_start(text, 0), line_start(text, 3), line_start(text, 7)], [0, 0, 4]);
        assert_eq!([line_end(text, 0), line_end(text, 3), line_end(text, 4)], [3, 3, text.len()]);
    }
}
