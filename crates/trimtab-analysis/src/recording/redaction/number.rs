//! Numbers that identify somebody, and numbers in place of others.

use std::ops::Range;

/// Digits of integers that fit 64 bits whatever they are.
const SAFE_DIGITS: usize = 18;

/// A number with the digits that `replace` gives, at the same places. The exponent stays.
pub(super) fn replaced(number: &str, replace: impl FnOnce(&str) -> String) -> String {
    let mantissa = number.find(['e', 'E']).unwrap_or(number.len());
    let (mantissa, exponent) = number.split_at_checked(mantissa).unwrap_or((number, ""));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let replaced = replace(&digits);
    let (mut others, mut seen) = (replaced.chars(), 0);
    let (is_large, count) = (digits.len() > SAFE_DIGITS, digits.len());
    let mut other = |digit: char| {
        let other = others.next().unwrap_or(digit);
        seen += 1;
        match seen {
            // A number begins with no zero, except that of a fraction.
            1 if digit == '0' => '0',
            1 if is_large => '1',
            2 if is_large => '0',
            1 if other == '0' => '1',
            // A fraction ends with no zero.
            last if last == count && other == '0' => '1',
            _ => other,
        }
    };
    let mantissa: String =
        mantissa.chars().map(|char| if char.is_ascii_digit() { other(char) } else { char }).collect();
    mantissa + exponent
}

/// The number of digits of a number, without its exponent.
pub(super) fn digits(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or(number);
    mantissa.bytes().filter(u8::is_ascii_digit).count()
}

/// The numbers of payment cards: 13 to 19 digits in groups, with a valid check digit.
pub(super) fn cards(text: &str) -> Vec<Range<usize>> {
    let is_card = |range: &Range<usize>| {
        let digits: Vec<u32> =
            text.get(range.clone()).into_iter().flat_map(str::chars).filter_map(|c| c.to_digit(10)).collect();
        (13..=19).contains(&digits.len()) && (3..=6).contains(&digits[0]) && has_valid_check_digit(&digits)
    };
    groups(text).into_iter().filter(is_card).collect()
}

/// A number of the same length that is that of a payment card.
pub(super) fn valid_card(number: &str) -> String {
    let mut digits: Vec<u32> = number.chars().filter_map(|char| char.to_digit(10)).collect();
    let last = digits.len().saturating_sub(1);
    if let Some(first) = digits.first_mut() {
        *first = *first % 4 + 3;
    }
    // The check digit is no zero, with which no fraction ends. Other second digits need other check digits.
    let check_digits = (1..=9).flat_map(|second| (1..=9).map(move |check| (second, check)));
    for (second, check) in check_digits {
        digits[1] = second;
        digits[last] = check;
        if has_valid_check_digit(&digits) {
            break;
        }
    }
    let mut others = digits.into_iter();
    let mut replace = |char: char| others.next().and_then(|digit| char::from_digit(digit, 10)).unwrap_or(char);
    number.chars().map(|char| if char.is_ascii_digit() { replace(char) } else { char }).collect()
}

/// Digits in groups of two or more that are separated by single spaces or hyphens.
pub(super) fn groups(text: &str) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for run in runs(text) {
        let joins = groups.last().is_some_and(|last| {
            let gap = text.get(last.end..run.start).unwrap_or_default();
            matches!(gap, " " | "-") && last.len() > 1
        });
        match groups.last_mut() {
            Some(last) if joins && run.len() > 1 => last.end = run.end,
            _ => groups.push(run),
        }
    }
    groups
}

/// The runs of digits that are not part of a word.
fn runs(text: &str) -> Vec<Range<usize>> {
    let (mut runs, mut start, mut before) = (Vec::new(), None, None);
    for (at, char) in text.char_indices().chain([(text.len(), '\n')]) {
        if char.is_ascii_digit() {
            start = start.or(Some((at, before)));
        } else if let Some((first, before)) = start.take() {
            let is_word = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
            if !is_word(before) && !is_word(Some(char)) {
                runs.push(first..at);
            }
        }
        before = Some(char);
    }
    runs
}

/// The check of Luhn.
fn has_valid_check_digit(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 2 / 10 + digit * 2 % 10 })
        .sum();
    sum.is_multiple_of(10)
}
