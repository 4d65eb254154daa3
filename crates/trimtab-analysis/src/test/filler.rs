//! Filler text of a given length. Equal numbers and lengths give equal texts.

use trimtab_base::conversation::Counter;
use trimtab_base::source::up_to;
use trimtab_model::model::TokenCounter;

const WORDS: &str =
    "the quick brown fox jumps over the lazy dog and runs on through field 27 to the old mill by the river\n";

/// A text with a number of characters. Texts with different numbers differ in their first words if they are long enough.
pub fn filler(number: u64, chars: u64) -> String {
    let chars = usize::try_from(chars).unwrap_or(usize::MAX);
    let mut text = format!("text {number}: ");
    while text.len() < chars {
        let rest = chars - text.len();
        text.push_str(up_to(WORDS, rest.min(WORDS.len())));
    }
    text.truncate(chars);
    text
}

/// The shortest such text with at least an estimated number of tokens.
pub(super) fn of_tokens(number: u64, tokens: u64) -> String {
    let counter = TokenCounter::default();
    let (mut low, mut high) = (0, tokens.saturating_mul(8).saturating_add(16));
    while low < high {
        let middle = low + (high - low) / 2;
        if counter.text(&filler(number, middle)) < tokens { low = middle + 1 } else { high = middle }
    }
    filler(number, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_have_their_length_and_differ_by_number() {
        for chars in [0, 1, 7, 100, 101, 40_000] {
            assert_eq!(filler(3, chars).len(), usize::try_from(chars).expect("small"));
        }
        assert_ne!(filler(1, 40), filler(2, 40));
        assert_eq!(filler(1, 40), filler(1, 40));
    }

    #[test]
    fn a_filler_of_tokens_has_about_that_estimate() {
        for tokens in [1, 10, 500, 20_000] {
            // A single character may be more than a token.
            let estimate = TokenCounter::default().text(&of_tokens(1, tokens));
            assert!((tokens..=tokens + 1).contains(&estimate), "{tokens}: {estimate}");
        }
    }
}
