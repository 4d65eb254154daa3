//! The texts of strings with escapes.

use std::cell::Cell;

use fearless_simd::{Level, dispatch, prelude::*, u8x32};

/// The bytes that are copied at once.
const BLOCK: usize = 32;

/// The longest buffer in bytes that a thread keeps.
const MAX_KEPT: usize = 1 << 20;

thread_local! {
    /// Where the texts of this thread are built, so that none of them needs memory of its own before it is complete.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Calls a function with the text of a valid string, given between its quotation marks. Returns `None` if the string has
/// the escape of a lone surrogate.
pub(super) fn with_text<T>(string: &str, use_text: impl FnOnce(&str) -> T) -> Option<T> {
    let mut buffer = BUFFER.take();
    // An escape is longer than what it stands for, but blocks are copied whole.
    let length = string.len() + BLOCK;
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    let text = unescape(string.as_bytes(), &mut buffer).and_then(|length| buffer.get(..length));
    let result = text.and_then(|text| simdutf8::basic::from_utf8(text).ok()).map(use_text);
    if buffer.len() <= MAX_KEPT {
        BUFFER.set(buffer);
    }
    result
}

/// Writes the text of a string. Returns its length.
fn unescape(string: &[u8], text: &mut [u8]) -> Option<usize> {
    dispatch!(Level::new(), simd => unescape_with(simd, string, text))
}

#[expect(clippy::inline_always, reason = "compiled for each SIMD instruction set")]
#[inline(always)]
fn unescape_with<S: Simd>(simd: S, string: &[u8], text: &mut [u8]) -> Option<usize> {
    let (mut from, mut to) = (0, 0);
    while let Some(block) = string.get(from..)?.first_chunk::<BLOCK>() {
        *text.get_mut(to..)?.first_chunk_mut()? = *block;
        let bytes: u8x32<S> = (*block).simd_into(simd);
        let backslashes = bytes.simd_eq(b'\\').to_bitmask();
        // Nothing is copied twice, except what follows an escape.
        let plain = (backslashes.trailing_zeros() as usize).min(BLOCK);
        from += plain;
        to += plain;
        if backslashes != 0 {
            (from, to) = escape((string, from), (text, to))?;
        }
    }
    while let Some(byte) = string.get(from) {
        if *byte == b'\\' {
            (from, to) = escape((string, from), (text, to))?;
        } else {
            *text.get_mut(to)? = *byte;
            (from, to) = (from + 1, to + 1);
        }
    }
    Some(to)
}

/// What each byte stands for after a backslash; 0 for `u`.
static ESCAPES: [u8; 256] = {
    let mut escapes = [0; 256];
    let mut byte: u8 = 0;
    while byte < u8::MAX {
        escapes[byte as usize] = match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x08,
            b'f' => 0x0C,
            b'u' => 0,
            byte => byte,
        };
        byte += 1;
    }
    escapes
};

/// Writes what an escape stands for. Returns the offsets after both.
#[inline]
fn escape((string, from): (&[u8], usize), (text, to): (&mut [u8], usize)) -> Option<(usize, usize)> {
    let byte = ESCAPES[usize::from(*string.get(from + 1)?)];
    if byte == 0 {
        return unicode((string, from), (text, to));
    }
    *text.get_mut(to)? = byte;
    Some((from + 2, to + 1))
}

/// The same for `\uXXXX`, or for two of them that are a surrogate pair.
#[cold]
fn unicode((string, from): (&[u8], usize), (text, to): (&mut [u8], usize)) -> Option<(usize, usize)> {
    let unit = |at: usize| {
        let digits = string.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(from)?;
    let units = [Some(first), (0xD800..0xDC00).contains(&first).then(|| unit(from + 6)).flatten()];
    let character = char::decode_utf16(units.into_iter().flatten()).next()?.ok()?;
    let length = character.encode_utf8(text.get_mut(to..to + 4)?).len();
    Some((from + 6 * character.len_utf16(), to + length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Escapes, some of lone surrogates, and texts in several scripts, so that escapes are anywhere in a block.
    const PIECE: &str = concat!(
        r#"[a-z ]{0,40}|[é目😀]{1,5}|\\["\\/bfnrt]|\\u00[0-9a-fA-F]{2}|\\u[1-9a-c][0-9a-f]{3}|"#,
        r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\uD83D\\uDE00",
    );

    proptest! {
        #[test]
        fn texts_are_those_of_serde_json(pieces in prop::collection::vec(PIECE, 0..40), lone in prop::option::of(0_usize..40)) {
            let mut pieces = pieces;
            if let Some(at) = lone {
                pieces.insert(at.min(pieces.len()), r"\udead".to_owned());
            }
            let string = pieces.concat();
            let expected = serde_json::from_str::<String>(&format!("\"{string}\"")).ok();
            prop_assert_eq!(with_text(&string, str::to_owned), expected, "{}", string);
        }
    }
}
