//! Finds e-mail addresses, IP addresses, credentials and random strings in a text.

use std::ops::Range;

use super::number::cards;
use super::private_key::private_keys;
use super::token::tokens;
use super::{assignment, block, command, markup, merged, user_name};

/// The length of `%2F`.
const ESCAPE: usize = 3;

/// The digits of an account number of AWS.
const ACCOUNT_DIGITS: usize = 12;

/// No name of a mailbox is longer.
const MAX_LOCAL: usize = 256;

/// Shorter strings are not random enough to be told from words.
const MIN_RANDOM: usize = 20;

/// The ranges of the secrets of a text; some may overlap.
pub(super) fn secrets(text: &str) -> Vec<Range<usize>> {
    secrets_in(text, true)
}

/// The same without random strings, which ids consist of.
pub(super) fn identifying(text: &str) -> Vec<Range<usize>> {
    secrets_in(text, false)
}

fn secrets_in(text: &str, with_random: bool) -> Vec<Range<usize>> {
    let words = words(text);
    let mut found = unencoded(text, &words, with_random);
    found.extend(in_words(text, &words, |word| encoded(word, with_random)));
    found
}

/// The secrets of a text as it is written.
fn unencoded(text: &str, words: &[Range<usize>], with_random: bool) -> Vec<Range<usize>> {
    let mut found = assignment::values(text, words);
    found.extend(command::credentials(text, words));
    for find in [block::values, cards, markup::values, private_keys, tokens, user_name::hosts] {
        found.extend(find(text));
    }
    let random_if_asked: fn(&str) -> Vec<Range<usize>> = if with_random { random } else { |_| Vec::new() };
    for find in [emails, ip_addresses, credentials, accounts, random_if_asked] {
        found.extend(in_words(text, words, find));
    }
    found
}

/// The secrets of a word in which characters are written as `%2F`, as in URLs. The escapes stay.
fn encoded(word: &str, with_random: bool) -> Vec<Range<usize>> {
    let escapes = escapes(word);
    if escapes.is_empty() {
        return Vec::new();
    }
    // The place of each byte of the decoded word; none for those that are escaped.
    let (mut decoded, mut places, mut end) = (Vec::new(), Vec::new(), 0);
    for (at, byte) in escapes.into_iter().chain([(word.len(), b' ')]) {
        decoded.extend(word.as_bytes().get(end..at).unwrap_or_default());
        decoded.push(byte);
        places.extend((end..at).map(Some).chain([None]));
        end = at + ESCAPE;
    }
    let Ok(decoded) = String::from_utf8(decoded) else { return Vec::new() };
    let found = merged(unencoded(&decoded, &words(&decoded), with_random));
    let places: Vec<usize> =
        found.into_iter().filter_map(|range| places.get(range)).flatten().filter_map(|place| *place).collect();
    let runs = places.chunk_by(|a, b| a + 1 == *b);
    runs.filter_map(|run| Some(*run.first()?..run.last()? + 1)).collect()
}

/// Where characters are written as `%2F`, and which.
fn escapes(word: &str) -> Vec<(usize, u8)> {
    let of = |(at, _): (usize, &str)| {
        let digits =
            word.get(at + 1..at + ESCAPE).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        Some((at, u8::from_str_radix(digits, 16).ok()?))
    };
    word.match_indices('%').filter_map(of).collect()
}

/// What `find` finds in each word of a text.
fn in_words(text: &str, words: &[Range<usize>], find: impl Fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let of = |word: &Range<usize>| {
        let found = text.get(word.clone()).map(&find).unwrap_or_default();
        let start = word.start;
        found.into_iter().map(move |range| start + range.start..start + range.end)
    };
    words.iter().flat_map(of).collect()
}

/// The words of a text: what is between white space, quotes, brackets and the like.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_end = |char: char| char.is_whitespace() || "\"'`<>()[]{},;|\\".contains(char);
    let (mut words, mut start) = (Vec::new(), 0);
    for (at, char) in text.char_indices().filter(|(_, char)| is_end(*char)) {
        words.push(start..at);
        start = at + char.len_utf8();
    }
    words.push(start..text.len());
    words.retain(|word| !word.is_empty());
    words
}

/// User and password in `scheme://user:password@host`.
fn credentials(word: &str) -> Vec<Range<usize>> {
    let of = |(at, separator): (usize, &str)| {
        let start = at + separator.len();
        let authority = word.get(start..)?.split('/').next()?;
        let end = start + authority.rfind('@')?;
        (start < end).then_some(start..end)
    };
    word.match_indices("://").filter_map(of).collect()
}

/// The account numbers in the resource names of AWS.
fn accounts(word: &str) -> Vec<Range<usize>> {
    let is_account = |run: &Range<usize>| run.len() == ACCOUNT_DIGITS;
    let digits = if word.contains("arn:") { runs(word, |char| char.is_ascii_digit()) } else { Vec::new() };
    digits.into_iter().filter(is_account).collect()
}

fn emails(word: &str) -> Vec<Range<usize>> {
    let is_local = |char: char| char.is_alphanumeric() || "._%+-".contains(char);
    let is_domain = |char: char| char.is_alphanumeric() || ".-".contains(char);
    let email = |(at, sign): (usize, &str)| {
        let (before, after) = (word.get(..at)?, word.get(at + sign.len()..)?);
        let local: usize =
            before.chars().rev().take(MAX_LOCAL).take_while(|char| is_local(*char)).map(char::len_utf8).sum();
        let domain = after.find(|char| !is_domain(char)).unwrap_or(after.len());
        let (_, top) = after.get(..domain)?.trim_end_matches(['.', '-']).rsplit_once('.')?;
        let is_email = local > 0 && top.len() > 1 && top.chars().all(char::is_alphabetic);
        (is_email && before.get(at - local..)? != "git").then_some(at - local..at + sign.len() + domain)
    };
    word.match_indices('@').chain(word.match_indices("%40")).filter_map(email).collect()
}

fn ip_addresses(word: &str) -> Vec<Range<usize>> {
    let v4 = runs(word, |char| char.is_ascii_digit() || char == '.')
        .into_iter()
        .filter(|run| word.get(run.clone()).is_some_and(is_ipv4));
    let v6 = runs(word, |char| char.is_ascii_hexdigit() || char == ':')
        .into_iter()
        .filter(|run| word.get(run.clone()).is_some_and(is_ipv6) && is_whole(word, run));
    v4.chain(v6).collect()
}

/// Whether a run is an IPv4 address that is not of the machine itself.
fn is_ipv4(run: &str) -> bool {
    let address: Result<std::net::Ipv4Addr, _> = run.trim_matches('.').parse();
    address.is_ok_and(|address| !address.is_loopback() && !address.is_unspecified() && !address.is_broadcast())
}

/// Whether a run is an IPv6 address with several groups.
fn is_ipv6(run: &str) -> bool {
    let address: Result<std::net::Ipv6Addr, _> = run.trim_end_matches(':').parse();
    let groups = run.split(':').filter(|group| !group.is_empty()).count();
    address.is_ok() && groups > 2
}

/// Whether no letter or digit is before or after a run.
fn is_whole(text: &str, run: &Range<usize>) -> bool {
    let before = text.get(..run.start).unwrap_or_default();
    let after = text.get(run.end..).unwrap_or_default();
    !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
}

/// The longest runs of characters of a kind.
fn runs(text: &str, is_part: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let (mut runs, mut start) = (Vec::new(), None);
    for (at, char) in text.char_indices() {
        if is_part(char) {
            start = start.or(Some(at));
        } else {
            runs.extend(start.take().map(|start| start..at));
        }
    }
    runs.extend(start.map(|start| start..text.len()));
    runs
}

/// Strings in which letters and digits alternate too often for a name, or for a path if there are slashes in it.
fn random(word: &str) -> Vec<Range<usize>> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_-+".contains(char);
    let of_kind = |is_part: &dyn Fn(char) -> bool, is_random: fn(&str) -> bool| {
        runs(word, is_part).into_iter().filter(move |run| word.get(run.clone()).is_some_and(is_random))
    };
    let names = of_kind(&is_part, is_random_name);
    // With the name before the sign, a value may be random enough.
    let settings = of_kind(&|char| is_part(char) || char == '=', is_random_name);
    let letters = of_kind(&|char| char.is_ascii_alphanumeric(), is_random_letters);
    let paths = of_kind(&|char| is_part(char) || "=/".contains(char), is_random_path);
    names.chain(settings).chain(letters).chain(paths).collect()
}

/// Whether a run has letters and digits that alternate too often for a name.
fn is_random_name(run: &str) -> bool {
    changes(run).is_some_and(|(changes, length)| changes * 5 >= length)
}

/// Whether letters of both cases alternate too often for words in camel case, in which few capitals are in a row.
fn is_random_letters(run: &str) -> bool {
    let count = |is_kind: fn(bool, bool) -> bool| {
        let cases = run.bytes().map(|byte| byte.is_ascii_uppercase());
        cases.clone().zip(cases.skip(1)).filter(|(a, b)| is_kind(*a, *b)).count()
    };
    run.len() >= MIN_RANDOM
        && run.bytes().all(|byte| byte.is_ascii_alphabetic())
        && count(|a, b| a != b) * 20 >= run.len() * 7
        && count(|a, b| a && b) * 8 >= run.len()
}

/// Whether a run is base64 rather than a path.
fn is_random_path(run: &str) -> bool {
    let has = |is_kind: fn(&u8) -> bool| run.bytes().any(|byte| is_kind(&byte));
    has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && changes(run).is_some_and(|(changes, length)| changes * 3 >= length)
}

/// Returns how often the kind of character changes in a run, and its number of letters and digits, or `None` if it is
/// short, or has no digit or nothing else.
fn changes(run: &str) -> Option<(usize, usize)> {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => Some(0),
        b'a'..=b'z' => Some(1),
        b'A'..=b'Z' => Some(2),
        _ => None,
    };
    let classes: Vec<u8> = run.bytes().filter_map(class).collect();
    let changes = classes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let has_digit = classes.contains(&0) && classes.iter().any(|class| *class != 0);
    (classes.len() >= MIN_RANDOM && has_digit).then_some((changes, classes.len()))
}
