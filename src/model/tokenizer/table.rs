//! Counts tokens with the tables of published tokenizers. A table is loaded at the first text that needs it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Tokenizer;

/// Texts of fewer bytes are counted faster than they are remembered.
const MIN_REMEMBERED: usize = 64;

/// How many counts a thread remembers.
const MAX_REMEMBERED: usize = 1 << 16;

thread_local! {
    /// Counts by tokenizer, length and hash of the text. A replay counts a text to fit the overhead, and again when it adds
    /// the message.
    static COUNTS: RefCell<HashMap<(Tokenizer, usize, u64), u64>> = RefCell::default();
}

/// Counts the tokens of a text, once for each text.
pub(super) fn count(tokenizer: Tokenizer, text: &str) -> u64 {
    if text.len() < MIN_REMEMBERED {
        return count_anew(tokenizer, text);
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let key = (tokenizer, text.len(), hasher.finish());
    COUNTS.with_borrow_mut(|counts| {
        if counts.len() >= MAX_REMEMBERED {
            counts.clear();
        }
        *counts.entry(key).or_insert_with(|| count_anew(tokenizer, text))
    })
}

fn count_anew(tokenizer: Tokenizer, text: &str) -> u64 {
    let table = match tokenizer {
        Tokenizer::O200k => bpe_openai::o200k_base(),
        Tokenizer::Cl100k => bpe_openai::cl100k_base(),
    };
    table.count(text) as u64
}
