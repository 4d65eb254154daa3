//! Resolves scalars by the core schema of YAML 1.2: null, booleans, numbers and text.

use trimtab_base::quantity::Decimal;

use super::node::Value;
use crate::syntax::literal;

/// The value of a plain scalar. Digits may be separated by `_`, as in YAML 1.1.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).unwrap_or_else(|| Value::Text(text.into())),
    }
}

/// Returns the value of a number, or `None` if the text is not a number.
pub fn number(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Value::Huge);
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = unsigned.strip_prefix(prefix).filter(|digits| is_whole(digits, radix)) {
            let whole = i64::from_str_radix(&digits.replace('_', ""), radix).map(Decimal::from);
            return Some(whole.map_or(Value::Huge, |whole| signed(whole, text)));
        }
    }
    let digits = is_decimal(unsigned).then(|| unsigned.replace('_', ""))?;
    let parsed = if digits.contains(['e', 'E']) { Decimal::from_scientific(&digits) } else { digits.parse() };
    let written = parsed.ok().filter(|number| literal::can_be_written(*number));
    Some(written.map_or(Value::Huge, |number| signed(number, text)))
}

fn signed(number: Decimal, text: &str) -> Value {
    Value::Number(if text.starts_with('-') { -number } else { number })
}

/// Whether these are digits, optionally with single underscores between them.
fn is_whole(text: &str, radix: u32) -> bool {
    text.split('_').all(|group| !group.is_empty() && group.chars().all(|digit| digit.is_digit(radix)))
}

/// Whether this is an unsigned decimal number: `80`, `0.8`, `.8`, `8.`, `8e-1`.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['-', '+']).unwrap_or(exponent));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits_or_none = |part: &str| part.is_empty() || is_whole(part, 10);
    !(whole.is_empty() && fraction.is_empty())
        && digits_or_none(whole)
        && digits_or_none(fraction)
        && exponent.is_none_or(|exponent| is_whole(exponent, 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_number(text: &str) -> String {
        match plain(text) {
            Value::Number(number) => number.normalize().to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn numbers_are_parsed_exactly() {
        let cases = [
            ("0.8", "0.8"),
            (".5", "0.5"),
            ("8.", "8"),
            ("-1", "-1"),
            ("+7", "7"),
            ("8e-1", "0.8"),
            ("2E3", "2000"),
            ("200_000", "200000"),
            ("0x10", "16"),
            ("0o17", "15"),
            ("-0x10", "-16"),
        ];
        for (text, number) in cases {
            assert_eq!(format_number(text), number, "{text}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_a_decimal_are_recognized() {
        for text in [
            ".inf",
            "-.inf",
            ".nan",
            "1e40",
            "1e99999999999999999999",
            "0xffffffffffffffffff",
            "99999999999999999999",
            "0.1234567890123456789012",
            &"9".repeat(60),
        ] {
            assert_eq!(format_number(text), "Huge", "{text}");
        }
    }

    #[test]
    fn words_that_look_like_numbers_stay_text() {
        for text in ["1__0", "_1", "e5", ".", "-", "1e", "0x", "1.2.3", "80%", "0.8 ", "yes", "١"] {
            assert!(matches!(plain(text), Value::Text(_)), "{text}");
        }
    }
}
