//! Numbers of people that are replaced if asked: of telephones, bank accounts, social security and network cards.

use std::ops::Range;

use super::number;

/// Countries with IBANs and the number of characters of theirs, from the registry of SWIFT.
const IBANS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AT", 20),
    ("BE", 16),
    ("BG", 22),
    ("BR", 29),
    ("CH", 21),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("EE", 20),
    ("ES", 24),
    ("FI", 18),
    ("FR", 27),
    ("GB", 22),
    ("GR", 27),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IS", 26),
    ("IT", 27),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MT", 31),
    ("NL", 18),
    ("NO", 15),
    ("PL", 28),
    ("PT", 25),
    ("RO", 24),
    ("SA", 24),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("TR", 26),
    ("UA", 29),
];
/// The digits of a telephone number: with the code of its country, and without.
const INTERNATIONAL: std::ops::RangeInclusive<usize> = 8..=15;
const NATIONAL: std::ops::RangeInclusive<usize> = 9..=12;
/// The characters of the longest of these numbers.
const MAX_CHARS: usize = 48;

/// The numbers of people in a text.
pub(super) fn numbers(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut end) = (Vec::new(), 0);
    for (at, char) in text.char_indices() {
        let starts = char.is_ascii_alphanumeric() || char == '+' || char == '(';
        if at < end || !starts || text.get(..at).is_some_and(|before| before.ends_with(is_word)) {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let range = iban(rest)
            .or_else(|| hardware(rest))
            .or_else(|| telephone(rest).or_else(|| grouped(rest)).map(|end| 0..end));
        found.extend(range.map(|range| {
            end = at + range.end;
            at + range.start..end
        }));
    }
    found
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The characters of a kind at the start of a text, if no other letter or digit follows.
fn run(text: &str, is_part: impl Fn(char) -> bool) -> Option<&str> {
    let end = text.char_indices().take(MAX_CHARS).find(|(_, char)| !is_part(*char)).map(|(at, _)| at);
    let run = text.get(..end.unwrap_or_else(|| text.len().min(MAX_CHARS)))?;
    let trimmed = run.trim_end_matches(|char: char| !char.is_ascii_alphanumeric());
    let is_complete = !text.get(trimmed.len()..)?.starts_with(is_word);
    is_complete.then_some(trimmed)
}

/// What is after the country of an IBAN, in groups of four or without spaces.
fn iban(rest: &str) -> Option<Range<usize>> {
    let (_, length) = IBANS.iter().find(|(country, _)| rest.starts_with(country))?;
    let mut chars = rest.char_indices().take(MAX_CHARS).filter(|(_, char)| *char != ' ');
    let is_part = |(at, (_, char)): (usize, &(usize, char))| match at {
        0 | 1 => true,
        2 | 3 => char.is_ascii_digit(),
        _ => char.is_ascii_digit() || char.is_ascii_uppercase(),
    };
    let number: Vec<(usize, char)> = chars.by_ref().take(*length).collect();
    let (end, _) = number.last()?;
    let is_iban = number.len() == *length && number.iter().enumerate().all(is_part);
    let is_complete = rest.get(end + 1..).is_some_and(|rest| !rest.starts_with(is_word));
    (is_iban && is_complete).then_some(2..end + 1)
}

/// The address of a network card: six pairs of hexadecimal digits.
fn hardware(rest: &str) -> Option<Range<usize>> {
    let address = run(rest, |char| char.is_ascii_hexdigit() || char == ':' || char == '-')?;
    let of = |separator: char| {
        let mut pairs = address.split(separator);
        pairs.clone().count() == 6
            && pairs.all(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    (of(':') || of('-')).then_some(0..address.len())
}

/// The end of a telephone number: with `+` and the code of a country, or with a code of an area that begins with a zero
/// or is in parentheses.
fn telephone(rest: &str) -> Option<usize> {
    let number = run(rest, |char| char.is_ascii_digit() || " ()-./+".contains(char))?;
    let body = number.strip_prefix('+');
    let inner = body.unwrap_or(number);
    if inner.contains('+') || ["  ", "--", "..", "//"].iter().any(|gap| inner.contains(gap)) {
        return None;
    }
    let groups: Vec<&str> =
        inner.split(|char: char| !char.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let digits = number::digits(inner);
    let is_area = inner.starts_with('(') && groups.len() > 2 && groups[0].len() == 3
        || inner.starts_with('0') && groups[0].len() > 2;
    let is_national = is_area && groups.len() > 1 && groups.iter().skip(1).all(|group| group.len() > 1);
    let is_number = match body {
        Some(body) => body.starts_with(|char: char| char.is_ascii_digit()) && INTERNATIONAL.contains(&digits),
        None => is_national && NATIONAL.contains(&digits),
    };
    is_number.then_some(number.len())
}

/// The end of a telephone number (555-010-0199) or a social security number (078-05-1120) of the United States.
fn grouped(rest: &str) -> Option<usize> {
    let number = run(rest, |char| char.is_ascii_digit() || "-.".contains(char))?;
    let is_of = |separator: char, lengths: [usize; 3]| number.split(separator).map(str::len).eq(lengths);
    (is_of('-', [3, 3, 4]) || is_of('.', [3, 3, 4]) || is_of('-', [3, 2, 4])).then_some(number.len())
}
