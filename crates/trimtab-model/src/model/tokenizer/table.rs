//! Counts tokens with the tables of published tokenizers. A table is loaded at the first text that needs it.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use bpe_openai::Tokenizer as Library;
use foldhash::quality::RandomState;
use foldhash::{HashMap, HashMapExt};

use super::Tokenizer;
use super::merge::Tokens;
use super::split::{Rules, piece_end, split_lines};

/// Texts of fewer bytes are counted faster than they are remembered.
const MIN_REMEMBERED: usize = 64;

/// How many counts of texts a thread remembers.
const MAX_REMEMBERED: usize = 1 << 16;

/// How many counts of pieces a thread remembers.
const PIECES: usize = 1 << 15;

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
/// A piece has one place, by the low bits of its hash, where a newer one replaces it. An entry has the other bits of the hash
/// and, in the low byte, the count, which is that of no piece in an empty place. It is small, so that the entries of the
/// usual pieces stay in the processor's cache.
struct Pieces(Box<[u64]>);

impl Table {
    fn new(rules: Rules, library: &'static Library) -> Self {
        Self { rules, library, hashes: RandomState::default(), tokens: Tokens::of(library) }
    }

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.hashes.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }

    /// Encodes a piece and returns the number of its tokens.
    fn encode(&self, piece: &[u8]) -> u64 {
        self.tokens.count(piece).unwrap_or_else(|| self.library.bpe.count(piece) as u64)
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
        let entry = &mut self.0[hash as usize % PIECES];
        if (*entry ^ hash) & !COUNT != 0 || *entry & COUNT == 0 {
            let counted = count();
            if counted > COUNT {
                return counted;
            }
            *entry = hash & !COUNT | counted;
        }
        *entry & COUNT
    }
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
            let [stored_hash, remembered] = *self.stretches.entry(hash);
            // No stretch has the count 0, which is that of an empty place.
            count += if stored_hash == hash && remembered > 0 {
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
        self.pieces.count(table.hash(piece), || table.encode(piece))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_piece_of_many_tokens_is_counted_each_time() {
        let text = "zqxj".repeat(200);
        let expected = O200K.library.count(&text) as u64;
        assert!(expected > COUNT);
        let counted =
            || COUNTS.with_borrow_mut(|counts| counts.entry(Tokenizer::O200k).or_default().count_pieces(&O200K, &text));
        assert_eq!([counted(), counted()], [expected; 2]);
    }

    proptest! {
        #[test]
        fn texts_have_as_many_tokens_as_the_library_counts(
            texts in prop::collection::vec("([a-zé]{1,9}[ _.]|[A-Z0-9]{1,40}|[ =]{1,40}|[^a]|\r?\n){1,40}", 1..4),
        ) {
            for (tokenizer, table) in [(Tokenizer::O200k, &*O200K), (Tokenizer::Cl100k, &*CL100K)] {
                for text in texts.iter().chain(&texts) {
                    let twice = format!("{text}\n{text}");
                    prop_assert_eq!(count(tokenizer, text), table.library.count(text) as u64, "{:?}", text);
                    prop_assert_eq!(count(tokenizer, &twice), table.library.count(&twice) as u64, "{:?}", twice);
                }
            }
        }
    }
}
