//! The quotation marks that open and close the strings of a JSON text, found for 64 bytes at a time.
//!
//! The masks follow Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (2019): a bit for each byte of a block.

use fearless_simd::{Level, dispatch, prelude::*, u8x64};

/// The bytes of a block.
const BLOCK: usize = 64;

/// The bytes that stand for one character after a backslash.
const SINGLE: [u8; 8] = [b'"', b'\\', b'n', b't', b'/', b'r', b'b', b'f'];

/// The quotation marks of a text, a bit for each byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Quotes {
    marks: Vec<u64>,
    /// Whether any of the texts so far has escapes of surrogates.
    has_surrogates: bool,
}

/// What the blocks before say about a block.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// All bits, if the block begins in a string.
    in_string: u64,
    /// The lowest bit, if the first byte of the block is escaped.
    escaped: u64,
    has_surrogates: bool,
}

impl Quotes {
    /// Finds the quotation marks of a text. Returns whether its strings are valid: closed, without control characters, and
    /// with valid escapes. Escapes of lone surrogates are valid.
    pub(super) fn find(&mut self, json: &[u8]) -> bool {
        dispatch!(Level::new(), simd => self.find_with(simd, json))
    }

    #[expect(clippy::inline_always, reason = "compiled for each SIMD instruction set")]
    #[inline(always)]
    fn find_with<S: Simd>(&mut self, simd: S, json: &[u8]) -> bool {
        self.marks.clear();
        self.marks.reserve(json.len() / BLOCK + 1);
        let (blocks, rest) = json.as_chunks::<BLOCK>();
        let mut state = State::default();
        for (number, block) in blocks.iter().enumerate() {
            let Some(quotes) = state.advance(simd, block, (json, number * BLOCK)) else { return false };
            self.marks.push(quotes);
        }
        let mut block = [b' '; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        let Some(quotes) = state.advance(simd, &block, (json, blocks.len() * BLOCK)) else { return false };
        self.marks.push(quotes);
        self.has_surrogates |= state.has_surrogates;
        state.in_string == 0
    }

    pub(super) const fn has_surrogates(&self) -> bool {
        self.has_surrogates
    }

    /// The offset of the first quotation mark from an offset on.
    pub(super) fn next(&self, from: usize) -> Option<usize> {
        let mut number = from / BLOCK;
        let mut bits = self.marks.get(number)? & (u64::MAX << (from % BLOCK));
        while bits == 0 {
            number += 1;
            bits = *self.marks.get(number)?;
        }
        Some(number * BLOCK + bits.trailing_zeros() as usize)
    }
}

impl State {
    /// Returns the quotation marks of the next block, which begins at an offset of the text, or `None` if a string is
    /// invalid.
    #[expect(clippy::inline_always, reason = "compiled for each SIMD instruction set")]
    #[inline(always)]
    fn advance<S: Simd>(&mut self, simd: S, block: &[u8; BLOCK], (json, start): (&[u8], usize)) -> Option<u64> {
        let bytes: u8x64<S> = (*block).simd_into(simd);
        let equal = |byte: u8| bytes.simd_eq(byte).to_bitmask();
        let backslashes = equal(b'\\');
        let escaped = if backslashes == 0 { std::mem::take(&mut self.escaped) } else { self.escaped(backslashes) };
        let quotes = equal(b'"') & !escaped;
        let in_string = odd(quotes) ^ self.in_string;
        // All bits, if the highest bit is set.
        self.in_string = 0_u64.wrapping_sub(in_string >> 63);
        let controls = bytes.simd_le(0x1F).to_bitmask();
        let mut invalid = controls & in_string | backslashes & !in_string;
        if escaped != 0 {
            let is_unicode = bytes.simd_eq(b'u');
            let is_valid = SINGLE.into_iter().fold(is_unicode, |valid, byte| valid | bytes.simd_eq(byte));
            invalid |= escaped & !is_valid.to_bitmask();
            let of_unicode = escaped & is_unicode.to_bitmask();
            if of_unicode != 0 {
                self.has_surrogates |= check_digits(json, start, of_unicode)?;
            }
        }
        (invalid == 0).then_some(quotes)
    }

    /// The bytes of a block that follow a backslash which is not escaped itself.
    #[inline]
    const fn escaped(&mut self, backslashes: u64) -> u64 {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let backslashes = backslashes & !self.escaped;
        let follows = backslashes << 1 | self.escaped;
        // Adding the first backslash of a run carries to the bit after the run. Its parity tells whether that is escaped.
        let (sum, overflows) = (backslashes & !EVEN & !follows).overflowing_add(backslashes);
        self.escaped = overflows as u64;
        (EVEN ^ (sum << 1)) & follows
    }
}

/// The bits with an odd number of bits of a mask at or below them.
#[inline]
const fn odd(mask: u64) -> u64 {
    let mask = mask ^ (mask << 1);
    let mask = mask ^ (mask << 2);
    let mask = mask ^ (mask << 4);
    let mask = mask ^ (mask << 8);
    let mask = mask ^ (mask << 16);
    mask ^ (mask << 32)
}

/// Checks that each of some escapes has four hexadecimal digits. The mask has a bit for the `u` of each. Returns whether any
/// of them may stand for a surrogate.
#[cold]
fn check_digits(json: &[u8], start: usize, mut escapes: u64) -> Option<bool> {
    let mut may_be_surrogate = false;
    while escapes != 0 {
        let at = start + escapes.trailing_zeros() as usize;
        let digits = json.get(at + 1..at + 5).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        may_be_surrogate |= matches!(digits, [b'd' | b'D', ..]);
        escapes &= escapes - 1;
    }
    Some(may_be_surrogate)
}
