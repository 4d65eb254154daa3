//! Unit words that the language does not use but that have one clear meaning: `minutes`, `USD`, `percent`.

use super::{Decimal, Quantity, Unit};

/// Lower-case words, the unit they stand for, and how many of that unit one of them is.
const ALIASES: [(&[&str], Unit, u32); 8] = [
    (&["percent", "pct"], Unit::Share, 1),
    (&["dollar", "dollars", "usd"], Unit::Money, 1),
    (&["s", "sec", "secs", "second", "seconds"], Unit::Duration, 1),
    (&["m", "min", "mins", "minute", "minutes"], Unit::Duration, 60),
    (&["h", "hr", "hrs", "hour", "hours"], Unit::Duration, 3600),
    (&["tok", "toks"], Unit::Tokens, 1),
    (&["character", "characters"], Unit::Chars, 1),
    (&["msg", "msgs"], Unit::Counted(super::Counted::Messages), 1),
];

/// The quantity that an author means by an amount with this word after it, if that is clear.
pub fn from_alias(amount: Decimal, word: &str) -> Option<Quantity> {
    // `1 M` means a million, not a minute.
    if matches!(word, "M" | "K" | "k") {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let known = ALIASES.iter().find(|(words, ..)| words.contains(&lower.as_str()));
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
    fn known_aliases_are_converted_and_other_words_are_not() {
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
            assert_eq!(
                from_alias(Decimal::from(number), word).map(|quantity| quantity.to_string()),
                Some(written.to_owned())
            );
        }
        assert_eq!(from_alias(Decimal::from(5), "turns"), None);
        assert_eq!(["M", "K", "k"].map(|word| from_alias(Decimal::ONE, word)), [None, None, None]);
        assert_eq!(from_alias(Decimal::MAX, "hours"), None);
    }
}
