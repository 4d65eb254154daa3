//! Counts tokens with the tables of published tokenizers. A table is loaded at the first text that needs it.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use bpe_openai::Tokenizer as Library;
use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt};

use super::Tokenizer;
use super::split::{Rules, piece_end, split_lines};

/// Texts of fewer bytes are counted faster than they are remembered.
const MIN_REMEMBERED: usize = 64;

/// The bytes of the longest piece that is remembered: longer ones seldom occur again, and need memory of their own.
const MAX_PIECE: usize = 23;

/// How many counts of texts a thread remembers.
const MAX_REMEMBERED: usize = 1 << 16;

/// How many counts of pieces a thread remembers.
const PIECES: usize = 1 << 16;

/// The bits of the count in an entry of a piece.
const COUNT: u64 = 0xFF;

/// The bytes of the shortest stretch of lines that is remembered, unless a text ends there.
const MIN_STRETCH: usize = 64;

/// How many counts of stretches of lines a thread remembers.
const STRETCHES: usize = 1 << 12;

static O200K: LazyLock<Table> = LazyLock::new(|| Table::new(Rules::O200k, bpe_openai::o200k_base()));
static CL100K: LazyLock<Table> = LazyLock::new(|| Table::new(Rules::Cl100k, bpe_openai::cl100k_base()));

thread_local! {
    static COUNTS: RefCell<HashMap<Tokenizer, Counts>> = RefCell::new(HashMap::new());
}

/// A published tokenizer.
struct Table {
    rules: Rules,
    library: &'static Library,
    hashes: RandomState,
    tokens: Tokens,
}

/// The hashes of all tokens. A piece that is a token as a whole, as most are, needs no encoding.
///
/// A hash is in the first free place from that of its high bits on. More than half of the places are free, with 0.
struct Tokens {
    places: Box<[u64]>,
    shift: u32,
}

/// The counts that a thread remembers for a tokenizer.
#[derive(Default)]
struct Counts {
    /// By length and hash of the text. A replay counts a text to fit the overhead, and again when it adds the message.
    texts: HashMap<(usize, u64), u64>,
    stretches: Stretches,
    pieces: Pieces,
}

/// The counts of stretches of lines, of which texts that differ often have many in common: versions of a file, summaries.
///
/// A stretch has one place, by the low bits of its hash, where a newer one replaces it. An entry has the hash and the count.
struct Stretches(Box<[[u64; 2]]>);

/// The counts of the pieces into which texts are split: most are words that occur again and again.
///
/// A piece has one place, by the low bits of its hash, where a newer one replaces it. If the older one is not a token, which
/// takes longest to count, it moves to the place next to it. An entry has the other bits of the hash and, in the low byte, the
/// count. It is small, so that the entries of the usual pieces stay in the processor's cache.
struct Pieces(Box<[u64]>);

impl Table {
    fn new(rules: Rules, library: &'static Library) -> Self {
        let mut table = Self { rules, library, hashes: RandomState::default(), tokens: Tokens::of([].into_iter()) };
        let ids = 0..u32::try_from(library.bpe.num_tokens()).unwrap_or(u32::MAX);
        table.tokens = Tokens::of(ids.map(|id| table.hash(library.bpe.token_bytes(id))));
        table
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.hashes.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }

    /// Encodes a piece, of which the hash is known, and returns the number of its tokens.
    fn encode(&self, piece: &[u8], hash: u64) -> u64 {
        if self.tokens.contain(hash) { 1 } else { self.library.bpe.count(piece) as u64 }
    }
}

impl Tokens {
    fn of(hashes: impl ExactSizeIterator<Item = u64>) -> Self {
        let length = (2 * hashes.len()).next_power_of_two().max(2);
        let mut tokens = Self { places: vec![0; length].into(), shift: u64::BITS - length.trailing_zeros() };
        for hash in hashes {
            let at = tokens.find(hash);
            tokens.places[at] = hash | 1;
        }
        tokens
    }

    fn contain(&self, hash: u64) -> bool {
        self.places[self.find(hash)] != 0
    }

    /// The place that a hash has or would have.
    fn find(&self, hash: u64) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "as many bits remain as there are places")]
        let mut at = (hash >> self.shift) as usize;
        // No hash in the table is 0.
        while self.places[at] != 0 && self.places[at] != hash | 1 {
            at = (at + 1) % self.places.len();
        }
        at
    }
}

impl Default for Stretches {
    fn default() -> Self {
        Self(vec![[0; 2]; STRETCHES].into())
    }
}

impl Stretches {
    /// The place of the stretch with a hash.
    fn entry(&mut self, hash: u64) -> &mut [u64; 2] {
        #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
        let at = hash as usize % STRETCHES;
        &mut self.0[at]
    }
}

impl Default for Pieces {
    fn default() -> Self {
        Self(vec![0; PIECES].into())
    }
}

impl Pieces {
    /// The count of the piece with a hash, which is worked out if it is not remembered.
    fn count(&mut self, hash: u64, count: impl FnOnce() -> u64) -> u64 {
        #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
        let at = hash as usize % PIECES;
        match count_in(self.0[at], hash) {
            0 => self.count_elsewhere(at, hash, count),
            count => count,
        }
    }

    /// The count of a piece that is not in its place.
    #[cold]
    fn count_elsewhere(&mut self, at: usize, hash: u64, count: impl FnOnce() -> u64) -> u64 {
        let next = at ^ 1;
        let known = count_in(self.0[next], hash);
        if known > 0 {
            return known;
        }
        let counted = count();
        if self.0[at] & COUNT > 1 {
            self.0[next] = self.0[at];
        }
        self.0[at] = hash & !COUNT | counted;
        counted
    }
}

/// The count of the piece with a hash if the entry has it, and else 0, which is the count of no piece.
const fn count_in(entry: u64, hash: u64) -> u64 {
    if (entry ^ hash) & !COUNT == 0 { entry & COUNT } else { 0 }
}

/// Counts the tokens of a text, once for each text.
pub(super) fn count(tokenizer: Tokenizer, text: &str) -> u64 {
    let table = match tokenizer {
        Tokenizer::O200k => &*O200K,
        Tokenizer::Cl100k => &*CL100K,
    };
    COUNTS.with_borrow_mut(|counts| counts.entry(tokenizer).or_default().count(table, text))
}

impl Counts {
    fn count(&mut self, table: &Table, text: &str) -> u64 {
        if text.len() < MIN_REMEMBERED {
            return self.count_pieces(table, text);
        }
        let key = (text.len(), table.hash(text.as_bytes()));
        if let Some(count) = self.texts.get(&key) {
            return *count;
        }
        let count = self.count_stretches(table, text);
        if self.texts.len() >= MAX_REMEMBERED {
            self.texts.clear();
        }
        self.texts.insert(key, count);
        count
    }

    /// Counts the stretches of lines of a text. All but the last end where a piece ends in any text.
    fn count_stretches(&mut self, table: &Table, text: &str) -> u64 {
        let (mut count, mut rest) = (0, text);
        while let Some((stretch, following)) = split_lines(rest, MIN_STRETCH) {
            let hash = table.hash(stretch.as_bytes());
            let [known, remembered] = *self.stretches.entry(hash);
            // No stretch has the count 0, which is that of an empty place.
            count += if known == hash && remembered > 0 {
                remembered
            } else {
                let count = self.count_pieces(table, stretch);
                *self.stretches.entry(hash) = [hash, count];
                count
            };
            rest = following;
        }
        count + self.count_pieces(table, rest)
    }

    /// Counts the pieces of a text. Both tokenizers take it as it is, without normalising it.
    fn count_pieces(&mut self, table: &Table, text: &str) -> u64 {
        let (mut count, mut at) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let end = piece_end(table.rules, text.as_bytes(), at);
            let end = end.unwrap_or_else(|| at + table.library.split(rest).next().map_or(rest.len(), str::len));
            count += self.count_piece(table, &text.as_bytes()[at..end]);
            at = end;
        }
        count
    }

    fn count_piece(&mut self, table: &Table, piece: &[u8]) -> u64 {
        let hash = table.hash(piece);
        let count = || table.encode(piece, hash);
        if piece.len() > MAX_PIECE { count() } else { self.pieces.count(hash, count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_is_a_token_is_encoded_as_that_token() {
        for table in [&*O200K, &*CL100K] {
            let bpe = &table.library.bpe;
            for id in (0..u32::try_from(bpe.num_tokens()).expect("a number")).step_by(7) {
                let token = bpe.token_bytes(id);
                assert_eq!(bpe.count(token), 1, "{token:?}");
                assert_eq!(table.encode(token, table.hash(token)), 1, "{token:?}");
            }
        }
    }

    #[test]
    fn other_pieces_are_no_tokens() {
        let hashes = [0, 1, 2, u64::MAX, u64::MAX - 2, 1 << 63, 7 << 60];
        let tokens = Tokens::of(hashes.into_iter());
        assert!(hashes.iter().all(|hash| tokens.contain(*hash)));
        assert!([4, 6, u64::MAX - 4, 3 << 60].iter().all(|hash| !tokens.contain(*hash)));
        assert!(!Tokens::of(std::iter::empty()).contain(5));
    }
}
