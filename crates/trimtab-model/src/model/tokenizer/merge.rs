//! Encodes short pieces by merging pairs of tokens, those of the lowest rank first, as byte pair encoding is defined.

use bpe_openai::Tokenizer as Library;

/// The bytes of the longest piece that is encoded here: the work grows with the square of the length.
const LONGEST: usize = 32;

/// The bits of an entry that hold a number of a token.
const NUMBER_BITS: u32 = 20;

/// How many bits the filter has.
const FILTER_BITS: u64 = 1 << 20;

/// The base of the hashes of parts.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The powers of the base.
const POWERS: [u64; LONGEST + 1] = {
    let (mut powers, mut at) = ([1u64; LONGEST + 1], 1);
    while at <= LONGEST {
        powers[at] = powers[at - 1].wrapping_mul(BASE);
        at += 1;
    }
    powers
};

/// The tokens of a tokenizer by their bytes. A token has a number, one more than its rank, and 0 means that there is none.
pub(super) struct Tokens {
    /// The numbers of the tokens of two bytes.
    pairs: Box<[u32]>,
    /// A bit for each token, by some bits of its hash. It is small and tells that most parts of pieces are no tokens.
    filter: Box<[u64]>,
    /// The numbers of the tokens up to the longest length, by their hashes.
    ///
    /// A token is in the first free place from that of the high bits of its hash on. An entry has the low bits of the hash
    /// and, below them, the number. More than half of the places are free, with 0.
    places: Box<[u64]>,
    /// By how many bits a hash is shifted to find its place.
    shift: u32,
}

/// The hashes of the beginnings of a piece, from which the hash of any part follows.
struct Beginnings([u64; LONGEST + 1]);

impl Beginnings {
    fn of(piece: &[u8]) -> Self {
        let (mut hashes, mut hash) = ([0; LONGEST + 1], 0u64);
        for (byte, place) in piece.iter().zip(&mut hashes[1..]) {
            hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte) + 1);
            *place = hash;
        }
        Self(hashes)
    }

    /// The hash of a part, by the places where it begins and ends.
    fn part(&self, start: u8, end: u8) -> u64 {
        let (start, end) = (usize::from(start), usize::from(end));
        let hash = self.0[end].wrapping_sub(self.0[start].wrapping_mul(POWERS[end - start]));
        // Spreads the hash over all bits; no two hashes become one.
        (hash ^ hash >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

impl Tokens {
    pub(super) fn of(library: &Library) -> Self {
        let count = library.bpe.num_tokens();
        let length = (2 * count).next_power_of_two();
        let mut tokens = Self {
            pairs: vec![0; 1 << 16].into(),
            filter: vec![0; usize::try_from(FILTER_BITS / 64).unwrap_or_default()].into(),
            places: vec![0; length].into(),
            shift: u64::BITS - length.trailing_zeros(),
        };
        // The library numbers tokens by rank.
        let ranks = 0..u32::try_from(count).unwrap_or(u32::MAX);
        ranks.for_each(|rank| tokens.add(library.bpe.token_bytes(rank), rank + 1));
        tokens
    }

    fn add(&mut self, token: &[u8], number: u32) {
        if let [first, second] = token {
            self.pairs[pair(*first, *second)] = number;
        }
        let Some(end) = short_length(token) else { return };
        let hash = Beginnings::of(token).part(0, end);
        let (word, bit) = filter_place(hash);
        self.filter[word] |= bit;
        let place = self.find(hash);
        self.places[place] = hash << NUMBER_BITS | u64::from(number);
    }

    /// The place that a hash has or would have.
    #[expect(clippy::cast_possible_truncation, reason = "as many bits remain as there are places")]
    fn find(&self, hash: u64) -> usize {
        let mut at = (hash >> self.shift) as usize;
        while self.places[at] != 0 && (self.places[at] ^ hash << NUMBER_BITS) >> NUMBER_BITS != 0 {
            at = (at + 1) % self.places.len();
        }
        at
    }

    /// The number of the token with a hash.
    #[expect(clippy::cast_possible_truncation, reason = "a number has few bits")]
    fn number(&self, hash: u64) -> u32 {
        let (word, bit) = filter_place(hash);
        if self.filter[word] & bit == 0 { 0 } else { self.places[self.find(hash)] as u32 & ((1 << NUMBER_BITS) - 1) }
    }

    /// Returns how many tokens a piece has, or `None` if it is empty, or too long to be encoded here.
    pub(super) fn count(&self, piece: &[u8]) -> Option<u64> {
        let length = short_length(piece)?;
        let beginnings = Beginnings::of(piece);
        let is_token = self.number(beginnings.part(0, length)) != 0;
        Some(if is_token { 1 } else { u64::from(self.merge(piece, length, &beginnings)) })
    }

    /// Merges pairs of tokens, beginning with single bytes, and returns how many tokens remain.
    fn merge(&self, piece: &[u8], length: u8, beginnings: &Beginnings) -> u8 {
        // Where each token begins, and where the last one ends.
        let mut starts: [u8; LONGEST + 1] = std::array::from_fn(|at| u8::try_from(at).unwrap_or(u8::MAX));
        // The rank of what each token and the next one form. What is no token has the highest rank.
        let mut merged = [u32::MAX; LONGEST];
        for (bytes, merged) in piece.windows(2).zip(&mut merged) {
            *merged = self.pairs[pair(bytes[0], bytes[1])].wrapping_sub(1);
        }
        let together = |start, end| self.number(beginnings.part(start, end)).wrapping_sub(1);
        let mut last = usize::from(length) - 1;
        while let Some(at) = lowest(&merged[..last]) {
            starts.copy_within(at + 2..=last + 1, at + 1);
            merged.copy_within(at + 1..last, at);
            last -= 1;
            if at < last {
                merged[at] = together(starts[at], starts[at + 2]);
            }
            if at > 0 {
                merged[at - 1] = together(starts[at - 1], starts[at + 1]);
            }
        }
        u8::try_from(last + 1).unwrap_or(length)
    }
}

/// Returns the place of the first of the lowest ranks, or `None` if there is no token.
fn lowest(ranks: &[u32]) -> Option<usize> {
    let (mut lowest, mut bound) = (None, u32::MAX);
    for (at, rank) in ranks.iter().enumerate() {
        if *rank < bound {
            (lowest, bound) = (Some(at), *rank);
        }
    }
    lowest
}

/// Returns the length of a piece, or `None` if it is not encoded here.
fn short_length(piece: &[u8]) -> Option<u8> {
    u8::try_from(piece.len()).ok().filter(|_| (1..=LONGEST).contains(&piece.len()))
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

/// The word and the bit of a hash in the filter.
const fn filter_place(hash: u64) -> (usize, u64) {
    let bit = hash >> NUMBER_BITS & (FILTER_BITS - 1);
    ((bit / 64) as usize, 1 << (bit % 64))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static TOKENS: LazyLock<[(&Library, Tokens); 2]> =
        LazyLock::new(|| [bpe_openai::o200k_base(), bpe_openai::cl100k_base()].map(|one| (one, Tokens::of(one))));

    fn check(piece: &[u8]) {
        for (library, tokens) in &*TOKENS {
            let expected = (1..=LONGEST).contains(&piece.len()).then(|| library.bpe.count(piece) as u64);
            assert_eq!(tokens.count(piece), expected, "{piece:?}");
        }
    }

    #[test]
    fn tokens_and_what_is_nearly_one_have_as_many_tokens_as_the_library_counts() {
        for (library, _) in &*TOKENS {
            for rank in (0..u32::try_from(library.bpe.num_tokens()).expect("a number")).step_by(23) {
                let token = library.bpe.token_bytes(rank);
                check(token);
                check(&[token, b"e"].concat());
                check(&token[1..]);
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_have_as_many_tokens_as_the_library_counts(
            piece in prop_oneof![
                "[a-zA-Z]{1,33}",
                " ?[a-z]{1,6}[A-Z][a-z]{1,9}[0-9_]{0,3}",
                "[ \t\n=/*.(){}-]{1,33}",
                "(ab|a|aa|b|th|er|ing){1,12}",
                "[\u{80}-\u{10ffff}]{1,9}",
            ],
            bytes in prop::collection::vec(any::<u8>(), 1..34),
        ) {
            check(piece.as_bytes());
            check(&bytes);
        }
    }
}
