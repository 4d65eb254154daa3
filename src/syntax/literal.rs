//! Numbers as written into exact decimals.
//!
//! In: a number with what is glued to it. Out: its value, or what is wrong with it.

use super::tree::Number;
use crate::quantity::{self, Decimal, Unit};
use crate::source::starting_at;

/// What is wrong with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has a minus sign.
    Negative,
    /// It does not fit.
    TooLarge,
    /// A `_` that is not between digits.
    Separator,
    /// Letters behind it that mean nothing there.
    Suffix,
    /// `$` and `%`, `k%` and the like.
    Mixed,
}

/// The value of a number.
pub(super) fn number(text: &str) -> Result<Number, Fault> {
    if text.contains('-') {
        return Err(Fault::Negative);
    }
    let (money, body) = text.strip_prefix('$').map_or((false, text), |rest| (true, rest));
    let (percent, body) = body.strip_suffix('%').map_or((false, body), |rest| (true, rest));
    if (money && percent) || body.starts_with('$') {
        return Err(Fault::Mixed);
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
        _ => Err(Fault::Mixed),
    }
}

/// Whether a number from elsewhere, without its sign, can be written in the language.
pub(super) fn can_be_written(number: Decimal) -> bool {
    i64::try_from(number.normalize().mantissa()).is_ok()
}

/// How a number with letters of elsewhere glued to it is written here.
pub(super) fn meant(text: &str) -> Option<String> {
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
    let meant = quantity::from_alias(amount, word)?;
    Some(meant.unit.word_for(amount).map_or(meant.to_string(), |word| format!("{plain} {word}")))
}

/// The digits at the start and what follows them.
fn split(text: &str) -> (&str, &str) {
    let end = text.find(|sign: char| !matches!(sign, '0'..='9' | '_' | '.')).unwrap_or(text.len());
    text.split_at(end)
}

/// Digits with at most one point and `_` between digits.
fn decimal(digits: &str) -> Result<Decimal, Fault> {
    let (mut mantissa, mut scale, mut fraction, mut before) = (0_i64, 0_u32, false, b'_');
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                let digit = i64::from(byte - b'0');
                mantissa = mantissa.checked_mul(10).and_then(|all| all.checked_add(digit)).ok_or(Fault::TooLarge)?;
                scale += u32::from(fraction);
            }
            b'_' if before.is_ascii_digit() => {}
            b'.' if !fraction && before.is_ascii_digit() => fraction = true,
            _ => return Err(Fault::Separator),
        }
        before = byte;
    }
    if !before.is_ascii_digit() {
        return Err(Fault::Separator);
    }
    Decimal::try_new(mantissa, scale).map_err(|_| Fault::TooLarge)
}

fn scaled(value: Decimal, factor: Decimal) -> Result<Decimal, Fault> {
    value.checked_mul(factor).ok_or(Fault::TooLarge)
}

/// Hours, minutes and seconds in this order, each at most once.
fn duration(text: &str) -> Result<Decimal, Fault> {
    let (mut rest, mut total, mut largest) = (text, Decimal::ZERO, u32::MAX);
    while !rest.is_empty() {
        let (digits, behind) = split(rest);
        let size = match behind.bytes().next() {
            Some(b'h') => 3600,
            Some(b'm') => 60,
            Some(b's') => 1,
            _ => return Err(Fault::Suffix),
        };
        if size >= largest || digits.is_empty() {
            return Err(Fault::Suffix);
        }
        let part = scaled(decimal(digits)?, Decimal::from(size))?;
        total = total.checked_add(part).ok_or(Fault::TooLarge)?;
        (rest, largest) = (starting_at(behind, 1), size);
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
    fn numbers_are_read_exactly() {
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
    fn what_is_wrong_with_a_number_is_said() {
        let cases = [
            ("-5", Fault::Negative),
            ("-$5", Fault::Negative),
            ("1_", Fault::Separator),
            ("1__0", Fault::Separator),
            ("1.2.3", Fault::Separator),
            ("99999999999999999999", Fault::TooLarge),
            ("0.00000000000000000000000000000000001", Fault::TooLarge),
            ("500ms", Fault::Suffix),
            ("10x", Fault::Suffix),
            ("30s8m", Fault::Suffix),
            ("1s2", Fault::Suffix),
            ("$5%", Fault::Mixed),
            ("5k%", Fault::Mixed),
            ("$$5", Fault::Mixed),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), Err(expected), "{text}");
        }
    }
}
