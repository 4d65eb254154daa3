//! Units as people write them elsewhere: `minutes`, `USD`, `percent`.
//!
//! In: a number and the word behind it. Out: the quantity that is plainly meant.

use super::{Decimal, Quantity, Unit};

/// Words behind a number, in small letters, with what they are a number of and how much of it one is.
const WORDS: [(&[&str], Unit, u32); 8] = [
    (&["percent", "pct"], Unit::Share, 1),
    (&["dollar", "dollars", "usd"], Unit::Money, 1),
    (&["s", "sec", "secs", "second", "seconds"], Unit::Duration, 1),
    (&["m", "min", "mins", "minute", "minutes"], Unit::Duration, 60),
    (&["h", "hr", "hrs", "hour", "hours"], Unit::Duration, 3600),
    (&["tok", "toks"], Unit::Tokens, 1),
    (&["character", "characters"], Unit::Chars, 1),
    (&["msg", "msgs"], Unit::Counted(super::Counted::Messages), 1),
];

/// What a number with this word behind it is plainly meant to be.
pub fn meant(amount: Decimal, word: &str) -> Option<Quantity> {
    // `1 M` is a million, and no minute.
    if matches!(word, "M" | "K" | "k") {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let known = WORDS.iter().find(|(words, ..)| words.contains(&lower.as_str()));
    let Some((_, unit, size)) = known else {
        return Unit::from_word(&lower).map(|unit| Quantity::new(amount, unit));
    };
    let size = if *unit == Unit::Share { Decimal::new(1, 2) } else { Decimal::from(*size) };
    Some(Quantity::new(amount.checked_mul(size)?, *unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_elsewhere_is_understood_and_any_other_is_not() {
        let cases = [
            (80, "percent", "80%"),
            (5, "USD", "$5"),
            (5, "minutes", "5m"),
            (90, "seconds", "1m30s"),
            (2, "hours", "2h"),
            (500, "characters", "500 chars"),
            (4, "Tokens", "4 tokens"),
            (10, "msgs", "10 messages"),
        ];
        for (number, word, written) in cases {
            assert_eq!(meant(Decimal::from(number), word).map(|one| one.to_string()), Some(written.to_owned()));
        }
        assert_eq!(meant(Decimal::from(5), "turns"), None);
        assert_eq!(["M", "K", "k"].map(|word| meant(Decimal::ONE, word)), [None, None, None]);
        assert_eq!(meant(Decimal::MAX, "hours"), None);
    }
}
