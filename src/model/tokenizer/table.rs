//! Counts tokens with the tables of published tokenizers. A table is loaded at the first text that needs it.

use std::cell::RefCell;
use std::hash::BuildHasher;

use bpe_openai::Tokenizer as Table;
use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt};

use super::Tokenizer;
use super::split::{Rules, piece_end};

/// Texts of fewer bytes are counted faster than they are remembered.
const MIN_REMEMBERED: usize = 64;

/// The bytes of the longest piece that is remembered: longer ones seldom occur again, and need memory of their own.
const MAX_PIECE: usize = 23;

/// How many counts of texts a thread remembers.
const MAX_REMEMBERED: usize = 1 << 16;

/// How many counts of pieces a thread remembers.
const PIECES: usize = 1 << 16;

thread_local! {
    static COUNTS: RefCell<HashMap<Tokenizer, Counts>> = RefCell::new(HashMap::new());
}

/// The counts that a thread remembers for a tokenizer.
#[derive(Default)]
struct Counts {
    /// By length and hash of the text. A replay counts a text to fit the overhead, and again when it adds the message.
    texts: HashMap<(usize, u64), u64>,
    hashes: RandomState,
    pieces: Pieces,
}

/// The counts of the pieces into which texts are split: most are words that occur again and again.
///
/// A piece has one place, by the low bits of its hash, where a newer one replaces it. An entry has the other bits of the hash
/// and, in the low byte, the count. It is small, so that the entries of the usual pieces stay in the processor's cache.
struct Pieces(Box<[u64]>);

impl Default for Pieces {
    fn default() -> Self {
        Self(vec![0; PIECES].into())
    }
}

impl Pieces {
    /// The count of the piece with a hash, which is worked out if it is not remembered.
    fn count(&mut self, hash: u64, count: impl FnOnce() -> u64) -> u64 {
        const COUNT: u64 = 0xFF;
        #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
        let entry = &mut self.0[hash as usize % PIECES];
        // No piece has the count 0, which is that of an empty place.
        if (*entry ^ hash) & !COUNT != 0 || *entry & COUNT == 0 {
            *entry = hash & !COUNT | count();
        }
        *entry & COUNT
    }
}

/// Counts the tokens of a text, once for each text.
pub(super) fn count(tokenizer: Tokenizer, text: &str) -> u64 {
    let table = match tokenizer {
        Tokenizer::O200k => (Rules::O200k, bpe_openai::o200k_base()),
        Tokenizer::Cl100k => (Rules::Cl100k, bpe_openai::cl100k_base()),
    };
    COUNTS.with_borrow_mut(|counts| counts.entry(tokenizer).or_default().count(table, text))
}

impl Counts {
    fn count(&mut self, table: (Rules, &Table), text: &str) -> u64 {
        if text.len() < MIN_REMEMBERED {
            return self.count_pieces(table, text);
        }
        let key = (text.len(), self.hashes.hash_one(text));
        if let Some(count) = self.texts.get(&key) {
            return *count;
        }
        let count = self.count_pieces(table, text);
        if self.texts.len() >= MAX_REMEMBERED {
            self.texts.clear();
        }
        self.texts.insert(key, count);
        count
    }

    /// Counts the pieces of a text. Both tokenizers take it as it is, without normalising it.
    fn count_pieces(&mut self, (rules, table): (Rules, &Table), text: &str) -> u64 {
        let (mut count, mut at) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let end = piece_end(rules, text.as_bytes(), at);
            let end = end.unwrap_or_else(|| at + table.split(rest).next().map_or(rest.len(), str::len));
            count += self.count_piece(table, &text.as_bytes()[at..end]);
            at = end;
        }
        count
    }

    fn count_piece(&mut self, table: &Table, piece: &[u8]) -> u64 {
        let count = || table.bpe.count(piece) as u64;
        if piece.len() > MAX_PIECE { count() } else { self.pieces.count(self.hashes.hash_one(piece), count) }
    }
}
