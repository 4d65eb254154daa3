//! The names of a text: runs of letters, digits and a few signs, found for 64 bytes at a time.

use std::ops::Range;

use fearless_simd::{Level, dispatch, prelude::*, u8x64};

/// The bytes of a block.
const BLOCK: usize = 64;

/// The bytes of the shortest run that is reported.
pub(super) const SHORTEST: usize = 5;

/// A run of the bytes of names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) place: Range<usize>,
    /// Where it has a `-`, `.` or `@`: bits from its first byte on. `None` if that is not known.
    pub(super) joins: Option<u64>,
}

/// Reports the runs of letters, digits, `_`, `-`, `.` and `@` in a text that have at least [`SHORTEST`] bytes. Escapes for
/// white space are no part of them, as in JSON inside a text. Most words are left out: runs of letters alone without a
/// change from lowercase to uppercase.
pub(super) fn runs(text: &[u8], found: impl FnMut(Run)) {
    dispatch!(Level::new(), simd => runs_with(simd, text, found));
}

#[expect(clippy::inline_always, reason = "compiled for each SIMD instruction set")]
#[inline(always)]
fn runs_with<S: Simd>(simd: S, text: &[u8], mut found: impl FnMut(Run)) {
    let mut follows_backslash = 0;
    let mut runs = Runs::default();
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for block in blocks {
        runs.advance(Masks::of(simd, block, &mut follows_backslash), &mut found);
    }
    let mut block = [b' '; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    runs.advance(Masks::of(simd, &block, &mut follows_backslash), &mut found);
    runs.advance(Masks::default(), &mut found);
}

/// A bit for each byte of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Masks {
    /// The bytes that are part of names.
    names: u64,
    /// Those of them that join identifiers.
    joins: u64,
    /// Those that joins or identifiers have and words do not: joins, digits, `_`, and uppercase letters after lowercase ones.
    marks: u64,
}

impl Masks {
    /// The masks of a block. The state tells whether the block follows a backslash.
    #[expect(clippy::inline_always, reason = "compiled for each SIMD instruction set")]
    #[inline(always)]
    fn of<S: Simd>(simd: S, block: &[u8; BLOCK], follows_backslash: &mut u64) -> Self {
        let bytes: u8x64<S> = (*block).simd_into(simd);
        let equal = |byte: u8| bytes.simd_eq(byte);
        let is_in = |bytes: u8x64<S>, first: u8, last: u8| (bytes - first).simd_le(last - first);
        let joins = is_in(bytes, b'-', b'.') | equal(b'@');
        let lowercase = is_in(bytes, b'a', b'z').to_bitmask();
        let uppercase = is_in(bytes, b'A', b'Z').to_bitmask();
        let marks = (is_in(bytes, b'0', b'9') | equal(b'_') | joins).to_bitmask();
        let (mut names, joins) = (lowercase | uppercase | marks, joins.to_bitmask());
        let backslashes = equal(b'\\').to_bitmask();
        let escaped = backslashes << 1 | *follows_backslash;
        *follows_backslash = backslashes >> 63;
        if escaped != 0 {
            names &= !(escaped & (equal(b'n') | equal(b't') | equal(b'r')).to_bitmask());
        }
        Self { names, joins, marks: marks | uppercase & (lowercase & names) << 1 }
    }
}

/// Finds the runs of bits in a sequence of masks.
#[derive(Clone, Copy, Debug, Default)]
struct Runs {
    /// Where the block ends that is looked at next.
    end: usize,
    masks: Masks,
    /// The bits of the block before from which [`SHORTEST`] bits are set.
    before: u64,
    /// Where a run begins that the block before did not end.
    open: Option<usize>,
}

impl Runs {
    /// Takes the masks of the next block, and reports the runs that end in the block before it.
    #[inline]
    fn advance(&mut self, next: Masks, found: &mut impl FnMut(Run)) {
        let (Masks { names, joins, marks }, before) = (std::mem::replace(&mut self.masks, next), self.before);
        let start = self.end.saturating_sub(BLOCK);
        self.end += BLOCK;
        // Bits from which enough are set, and then all bits of runs that are long enough.
        let from = (1..SHORTEST).fold(names, |from, bits| from & (names >> bits | next.names << (BLOCK - bits)));
        let long = (1..SHORTEST).fold(from, |long, bits| long | from << bits | before >> (BLOCK - bits));
        self.before = from;
        let mut edges = long ^ (long << 1 | u64::from(self.open.is_some()));
        let mut next_edge = || {
            let edge = (edges != 0).then(|| edges.trailing_zeros() as usize);
            edges &= edges.wrapping_sub(1);
            edge
        };
        if let Some(open) = self.open {
            let Some(end) = next_edge() else { return };
            self.open = None;
            found(Run { place: open..start + end, joins: None });
        }
        while let Some(first) = next_edge() {
            let Some(end) = next_edge() else {
                self.open = Some(start + first);
                return;
            };
            let in_run = |mask: u64| mask >> first & u64::MAX >> (BLOCK - (end - first));
            if in_run(marks) != 0 {
                found(Run { place: start + first..start + end, joins: Some(in_run(joins)) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The runs, byte by byte.
    fn expected(text: &str) -> Vec<Range<usize>> {
        let bytes = text.as_bytes();
        let is_escaped = |at: usize| at > 0 && bytes[at - 1] == b'\\' && matches!(bytes[at], b'n' | b't' | b'r');
        let is_name = |at: &usize| {
            bytes.get(*at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.@".contains(byte))
                && !is_escaped(*at)
        };
        let (mut all, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let length = (at..bytes.len()).take_while(is_name).count();
            if length >= SHORTEST {
                all.push(at..at + length);
            }
            at += length + 1;
        }
        all
    }

    /// Whether a run has anything that words do not have.
    fn is_marked(run: &[u8]) -> bool {
        let changes_case = run.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        changes_case || !run.iter().all(u8::is_ascii_alphabetic)
    }

    proptest! {
        #[test]
        fn runs_are_those_found_byte_by_byte(
            text in r"([a-zA-Z0-9_.@-]{1,9}|[a-zA-C]{4,8}|[a-c]{60,70}|[ /:\[`{^é\x80-\xff]|\\[ntra]|\\{1,3}){0,60}",
        ) {
            let (bytes, mut all) = (text.as_bytes(), Vec::new());
            runs(bytes, |run| {
                let joins = run.place.clone().filter(|at| b"-.@".contains(&bytes[*at]));
                let expected = joins.fold(0, |joins, at| joins | 1 << (at - run.place.start).min(63));
                assert!(run.joins.is_none_or(|joins| joins == expected), "{run:?} in {text:?}");
                all.push(run.place);
            });
            let expected = expected(&text);
            prop_assert!(all.is_sorted_by_key(|run| run.start) && all.iter().all(|run| expected.contains(run)));
            for run in expected {
                prop_assert!(!is_marked(&bytes[run.clone()]) || all.contains(&run), "{:?} in {:?}", run, text);
            }
            // Only words at the edges of blocks are reported.
            let words = all.iter().filter(|run| !is_marked(&bytes[(*run).clone()]));
            prop_assert!(words.clone().all(|run| run.start / BLOCK != run.end / BLOCK), "{:?}", words);
        }
    }
}
