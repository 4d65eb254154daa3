//! Parses number literals into exact decimals.

use trimtab_base::quantity::{self, Decimal, Unit};
use trimtab_base::source::starting_at;

use super::tree::Number;

/// Why a number literal has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberError {
    /// It has a minus sign.
    Negative,
    /// It has more digits than a decimal holds.
    TooLarge,
    /// A `_` or `.` that is not between digits.
    Separator,
    /// Unknown letters after it.
    Suffix,
    /// Symbols that exclude each other, such as `$` and `%`.
    Mixed,
}

/// The value of a number literal.
pub(super) fn number(text: &str) -> Result<Number, NumberError> {
    if text.contains('-') {
        return Err(NumberError::Negative);
    }
    let (money, body) = text.strip_prefix('$').map_or((false, text), |rest| (true, rest));
    let (percent, body) = body.strip_suffix('%').map_or((false, body), |rest| (true, rest));
    if (money && percent) || body.starts_with('$') {
        return Err(NumberError::Mixed);
    }
    let (digits, suffix) = split(body);
    let value = decimal(digits)?;
    match (suffix, money, percent) {
        ("", true, _) => Ok(Number::Money(value)),
        ("", _, true) => scaled(value, Decimal::new(1, 2)).map(Number::Percent),
        ("", ..) => Ok(Number::Plain(value)),
        ("k" | "M", _, false) => {
            let factor = if suffix == "k" { 1_000 } else { 1_000_000 };
            let value = scaled(value, Decimal::from(factor))?;
            Ok(if money { Number::Money(value) } else { Number::Plain(value) })
        }
        (_, false, false) => duration(body).map(Number::Duration),
        _ => Err(NumberError::Mixed),
    }
}

/// A number with its unit, as a policy writes it: `80%`, `200k tokens`. Without a unit it is a count.
pub fn parse_amount(text: &str) -> Option<(Decimal, Option<Unit>)> {
    let (literal, word) = match text.trim().split_once(char::is_whitespace) {
        Some((literal, word)) => (literal, Some(Unit::from_word(word.trim_start())?)),
        None => (text.trim(), None),
    };
    match (number(literal).ok()?, word) {
        (Number::Plain(amount), word) => Some((amount, word)),
        (Number::Percent(share), None) => Some((share, Some(Unit::Share))),
        (Number::Money(dollars), None) => Some((dollars, Some(Unit::Money))),
        (Number::Duration(seconds), None) => Some((seconds, Some(Unit::Duration))),
        (_, Some(_)) => None,
    }
}

/// Whether a number literal exists for this number, ignoring its sign.
pub(super) fn can_be_written(number: Decimal) -> bool {
    i64::try_from(number.normalize().mantissa()).is_ok()
}

/// A number with a unit or suffix of other languages attached, in the notation of this language.
pub(super) fn with_known_suffix(text: &str) -> Option<String> {
    let (digits, suffix) = split(text);
    let (thousands, word) = match suffix.strip_prefix(['k', 'K']) {
        Some(rest) => ("k", rest),
        None => match suffix.strip_prefix('M') {
            Some(rest) if Unit::from_word(rest).is_some() => ("M", rest),
            _ => ("", suffix),
        },
    };
    let plain = format!("{digits}{thousands}");
    let Ok(Number::Plain(amount)) = number(&plain) else { return None };
    if word.is_empty() {
        return Some(plain);
    }
    let quantity = quantity::from_alias(amount, word)?;
    Some(quantity.unit.word_for(amount).map_or(quantity.to_string(), |word| format!("{plain} {word}")))
}

/// Splits the digits at the start from the rest.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|char: char| !matches!(char, '0'..='9' | '_' | '.')).unwrap_or(text.len());
    text.split_at(end)
}

/// Parses digits with at most one decimal point, and `_` between digits.
fn decimal(digits: &str) -> Result<Decimal, NumberError> {
    let (mut mantissa, mut scale, mut fraction, mut before) = (0_i64, 0_u32, false, b'_');
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                let digit = i64::from(byte - b'0');
                mantissa =
                    mantissa.checked_mul(10).and_then(|all| all.checked_add(digit)).ok_or(NumberError::TooLarge)?;
                scale += u32::from(fraction);
            }
            b'_' if before.is_ascii_digit() => {}
            b'.' if !fraction && before.is_ascii_digit() => fraction = true,
            _ => return Err(NumberError::Separator),
        }
        before = byte;
    }
    if !before.is_ascii_digit() {
        return Err(NumberError::Separator);
    }
    Decimal::try_new(mantissa, scale).map_err(|_| NumberError::TooLarge)
}

fn scaled(value: Decimal, factor: Decimal) -> Result<Decimal, NumberError> {
    value.checked_mul(factor).ok_or(NumberError::TooLarge)
}

/// Parses hours, minutes and seconds in this order, each at most once.
fn duration(text: &str) -> Result<Decimal, NumberError> {
    let (mut rest, mut total, mut previous) = (text, Decimal::ZERO, u32::MAX);
    while !rest.is_empty() {
        let (digits, suffix) = split(rest);
        let size = match suffix.bytes().next() {
            Some(b'h') => 3600,
            Some(b'm') => 60,
            Some(b's') => 1,
            _ => return Err(NumberError::Suffix),
        };
        if size >= previous || digits.is_empty() {
            return Err(NumberError::Suffix);
        }
        let part = scaled(decimal(digits)?, Decimal::from(size))?;
        total = total.checked_add(part).ok_or(NumberError::TooLarge)?;
        (rest, previous) = (starting_at(suffix, 1), size);
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Decimal {
        text.parse().expect("a decimal")
    }

    #[test]
    fn an_amount_is_a_number_with_its_unit() {
        let cases = [
            ("85%", "0.85", Some(Unit::Share)),
            (" 200k  tokens ", "200000", Some(Unit::Tokens)),
            ("$1.50", "1.50", Some(Unit::Money)),
            ("8m30s", "510", Some(Unit::Duration)),
            ("7", "7", None),
        ];
        for (text, amount, unit) in cases {
            assert_eq!(parse_amount(text), Some((exact(amount), unit)), "{text}");
        }
        for text in ["", "tokens", "85% tokens", "3 apples", "-1", "1 2", "200ktokens"] {
            assert_eq!(parse_amount(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_parsed_exactly() {
        let cases = [
            ("80%", Number::Percent(exact("0.8"))),
            ("12.5%", Number::Percent(exact("0.125"))),
            ("$1.50", Number::Money(exact("1.50"))),
            ("200k", Number::Plain(exact("200000"))),
            ("1.5M", Number::Plain(exact("1500000"))),
            ("1_000", Number::Plain(exact("1000"))),
            ("0", Number::Plain(exact("0"))),
            ("30s", Number::Duration(exact("30"))),
            ("8m30s", Number::Duration(exact("510"))),
            ("1h", Number::Duration(exact("3600"))),
            ("1h0.5s", Number::Duration(exact("3600.5"))),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn invalid_numbers_have_a_reason() {
        let cases = [
            ("-5", NumberError::Negative),
            ("-$5", NumberError::Negative),
            ("1_", NumberError::Separator),
            ("1__0", NumberError::Separator),
            ("1.2.3", NumberError::Separator),
            ("99999999999999999999", NumberError::TooLarge),
            ("0.00000000000000000000000000000000001", NumberError::TooLarge),
            ("500ms", NumberError::Suffix),
            ("10x", NumberError::Suffix),
            ("30s8m", NumberError::Suffix),
            ("1s2", NumberError::Suffix),
            ("$5%", NumberError::Mixed),
            ("5k%", NumberError::Mixed),
            ("$$5", NumberError::Mixed),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), Err(expected), "{text}");
        }
    }
}
