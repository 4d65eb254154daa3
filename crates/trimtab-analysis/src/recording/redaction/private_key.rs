//! The bodies of private keys in PEM and of PGP, also of those that are cut off.

use std::ops::Range;

/// What is before a body.
const BEGINS: [&str; 2] = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"];

/// What begins a header between the lines of a key.
const HEADERS: [&str; 6] = ["Charset:", "Comment:", "DEK-Info:", "Hash:", "Proc-Type:", "Version:"];
/// Shorter words beside others are those of a sentence.
const MIN_WORD: usize = 16;

/// The body of each private key: up to its end, or as long as the text may be base64.
pub(super) fn private_keys(text: &str) -> Vec<Range<usize>> {
    let begins = BEGINS.iter().flat_map(|begin| text.match_indices(begin)).map(|(at, begin)| at + begin.len());
    let bodies = begins.filter_map(|start| {
        let rest = text.get(start..)?;
        // What begins with other dashes is another key.
        let body = rest.find("-----").map_or(rest, |end| rest.get(..end).unwrap_or(rest));
        let is_complete = rest.get(body.len()..).is_some_and(|end| end.starts_with("-----END"));
        Some(start..start + if is_complete { body.len() } else { unfinished(body) })
    });
    bodies.filter(|body| !body.is_empty()).collect()
}

/// The length of the lines that may belong to a key: base64 in one word or in long ones, also after line numbers, and
/// headers with a blank line after them.
fn unfinished(body: &str) -> usize {
    let mut has_key = false;
    let is_key = |line: &&str| {
        if line.trim().is_empty() {
            return !has_key;
        }
        let mut words = line.split_whitespace();
        if words.clone().next().is_some_and(|first| HEADERS.contains(&first)) {
            return true;
        }
        has_key = true;
        let is_alone = words.clone().count() < 2;
        words.all(|word| is_base64(word, if is_alone { 0 } else { MIN_WORD }))
    };
    let length = body.split_inclusive('\n').take_while(is_key).map(str::len).sum::<usize>();
    body.get(..length).map_or(0, |body| body.trim_end().len())
}

/// Whether a word is base64 of so many characters, a line number, or both.
fn is_base64(word: &str, least: usize) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "+/=\\-".contains(char);
    let after_digits = word.trim_start_matches(|char: char| char.is_ascii_digit());
    let unnumbered = after_digits.trim_start_matches(['→', ':', '|']);
    let content = if after_digits.len() < word.len() { unnumbered } else { word };
    content.is_empty() || content.len() >= least && content.chars().all(is_part)
}
