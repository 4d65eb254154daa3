//! Meaningless characters in place of a text: letters for letters, digits for digits; other characters stay.
//!
//! Redaction leaves redacted recordings as they are: a replacement is again what its text was recognised as, depends
//! only on what it shares with its text, and contains no vowels, so it is no word.

use std::collections::{HashMap, HashSet};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::number;

/// The shortest number that is replaced with all words.
pub(super) const MIN_DIGITS: usize = 5;

/// How often another replacement is tried. Few texts of one or two characters differ.
const MAX_ATTEMPTS: u64 = 64;

const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz";
const DIGITS: &[u8] = b"123456789";
const HEX_LETTERS: &[u8] = b"abcdef";

/// The replaced texts. A replacement depends only on the shape of the text and on how many texts of this shape were
/// replaced before, so that it tells nothing of the text.
#[derive(Default)]
pub(super) struct Replacements {
    seeds: HashMap<String, u64>,
    /// How many texts of a shape were replaced.
    counts: HashMap<u64, u64>,
    used: HashSet<String>,
}

impl Replacements {
    /// The replacement of a text: the same in upper and lower case, and if possible not that of another text.
    pub(super) fn all(&mut self, text: &str) -> String {
        let lower = text.to_lowercase();
        if let Some(seed) = self.seeds.get(&lower) {
            return with_seed(text, *seed);
        }
        let shape = shape(&lower);
        let count = self.counts.entry(shape).or_default();
        let first = shape.wrapping_add(count.wrapping_mul(MAX_ATTEMPTS));
        *count += 1;
        let is_new = |seed: &u64| !self.used.contains(&with_seed(&lower, *seed));
        let seed = (0..MAX_ATTEMPTS).map(|attempt| first.wrapping_add(attempt)).find(is_new).unwrap_or(first);
        self.used.insert(with_seed(&lower, seed));
        self.seeds.insert(lower, seed);
        with_seed(text, seed)
    }
}

/// A number for what a text shares with its replacement.
fn shape(text: &str) -> u64 {
    text.chars().fold(0, |hash, char| step(&mut (hash ^ u64::from(u32::from(replaced(char, 0, LETTERS))))))
}

fn with_seed(text: &str, seed: u64) -> String {
    let mut state = seed;
    let mut state = step(&mut state);
    let letters = if is_ipv6(text) { HEX_LETTERS } else { LETTERS };
    let other: String = text.chars().map(|char| replaced(char, step(&mut state), letters)).collect();
    if number::cards(text).first().is_some_and(|card| card.len() == text.len()) {
        number::valid_card(&other)
    } else {
        with_valid_ipv4(text, &other)
    }
}

fn is_ipv6(text: &str) -> bool {
    text.contains(':') && text.trim_end_matches(':').parse::<Ipv6Addr>().is_ok()
}

/// The replacement with numbers below 200 in addresses, and without those of the machine itself.
fn with_valid_ipv4(text: &str, other: &str) -> String {
    let number = |number: &str| match *number.as_bytes() {
        [_, second, third] => ['1', char::from(second.max(b'3')), char::from(third)].iter().collect(),
        _ => number.to_owned(),
    };
    let address = |(text, other): (&str, &str)| {
        let is_address = text.trim_matches('.').parse::<Ipv4Addr>().is_ok();
        if is_address { other.split('.').map(number).collect::<Vec<_>>().join(".") } else { other.to_owned() }
    };
    // An address of version 6 may end in one of version 4.
    text.split(':').zip(other.split(':')).map(address).collect::<Vec<_>>().join(":")
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
fn replaced(char: char, number: u64, letters: &[u8]) -> char {
    let index = |count: usize| usize::try_from(number % count as u64).unwrap_or(0);
    let one_of = |chars: &[u8]| char::from(*chars.get(index(chars.len())).unwrap_or(&b'x'));
    let after = |first: u32, count: u32| {
        let offset = u32::try_from(number % u64::from(count)).unwrap_or(0);
        char::from_u32(first + offset).unwrap_or('x')
    };
    match char {
        '0'..='9' => one_of(DIGITS),
        'a'..='z' => one_of(letters),
        'A'..='Z' => one_of(letters).to_ascii_uppercase(),
        '\u{3040}'..='\u{30ff}' => after(0x3042, 64),
        '\u{400}'..='\u{4ff}' => after(0x430, 32),
        '\u{4e00}'..='\u{9fff}' => after(0x4e00, 1024),
        '\u{ac00}'..='\u{d7a3}' => after(0xac00, 1024),
        char if char.is_alphanumeric() => after('\u{e0}'.into(), 16),
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
