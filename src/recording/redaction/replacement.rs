//! Meaningless characters in place of a text: letters for letters, digits for digits; other characters stay.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::number;

/// The shortest number that is replaced with all words.
pub(super) const MIN_DIGITS: usize = 5;

/// How often another replacement is tried. Few texts of one or two characters differ.
const MAX_ATTEMPTS: u64 = 64;

/// The replaced texts in order of appearance. A replacement depends only on that order, so that it tells nothing of the text.
#[derive(Default)]
pub(super) struct Replacements {
    seeds: HashMap<String, u64>,
    used: HashSet<String>,
}

impl Replacements {
    /// The replacement of a text: the same in upper and lower case, and if possible not that of another text.
    pub(super) fn all(&mut self, text: &str) -> String {
        let lower = text.to_lowercase();
        let known = self.seeds.get(&lower).copied();
        let seed = known.unwrap_or_else(|| {
            let first = (self.seeds.len() as u64).wrapping_add(1).wrapping_mul(MAX_ATTEMPTS);
            let is_new = |seed: &u64| {
                let other = with_seed(&lower, *seed);
                other != lower && !self.used.contains(&other)
            };
            (first..first + MAX_ATTEMPTS).find(is_new).unwrap_or(first)
        });
        if known.is_none() {
            self.used.insert(with_seed(&lower, seed));
            self.seeds.insert(lower, seed);
        }
        with_seed(text, seed)
    }
}

fn with_seed(text: &str, seed: u64) -> String {
    let mut state = seed;
    let mut state = step(&mut state);
    text.chars().map(|char| replaced(char, step(&mut state))).collect()
}

/// The next number of a stream (splitmix64).
fn step(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A character of the same kind.
fn replaced(char: char, number: u64) -> char {
    let letter = |first: u32, count: u64| {
        let offset = u32::try_from(number % count).unwrap_or(0);
        char::from_u32(first + offset).unwrap_or('x')
    };
    match char {
        '0'..='9' => letter('0'.into(), 10),
        'a'..='z' => letter('a'.into(), 26),
        'A'..='Z' => letter('A'.into(), 26),
        '\u{3040}'..='\u{30ff}' => letter(0x3042, 64),
        '\u{400}'..='\u{4ff}' => letter(0x430, 32),
        '\u{4e00}'..='\u{9fff}' => letter(0x4e00, 1024),
        '\u{ac00}'..='\u{d7a3}' => letter(0xac00, 1024),
        char if char.is_alphanumeric() => letter('a'.into(), 26),
        char => char,
    }
}

/// The words of a text, and its long numbers.
pub(super) fn words(text: &str) -> Vec<Range<usize>> {
    let (mut words, mut start) = (Vec::new(), None);
    let mut end_word = |start: Option<usize>, end: usize| {
        let Some(start) = start else { return };
        let word = text.get(start..end).unwrap_or_default();
        if word.len() >= MIN_DIGITS || !word.bytes().all(|byte| byte.is_ascii_digit()) {
            words.push(start..end);
        }
    };
    for (at, char) in text.char_indices() {
        if char.is_alphanumeric() {
            start = start.or(Some(at));
        } else {
            end_word(start.take(), at);
        }
    }
    end_word(start, text.len());
    words.extend(
        number::groups(text)
            .into_iter()
            .filter(|group| number::digits(text.get(group.clone()).unwrap_or_default()) >= MIN_DIGITS),
    );
    words
}
