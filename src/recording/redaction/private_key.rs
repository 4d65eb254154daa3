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

/// The length of the lines that may belong to a key: base64 in one word or in long ones, also behind line numbers, and
/// headers.
fn unfinished(body: &str) -> usize {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "+/=\\,:|→-".contains(char);
    let is_key = |line: &&str| {
        let mut words = line.split_whitespace();
        let is_header = words.clone().next().is_some_and(|first| HEADERS.contains(&first));
        let is_short = |word: &str| word.len() < MIN_WORD && !word.bytes().all(|byte| byte.is_ascii_digit());
        let is_alone = words.clone().count() < 2;
        is_header || words.all(|word| word.chars().all(is_part) && (is_alone || !is_short(word)))
    };
    let length = body.split_inclusive('\n').take_while(is_key).map(str::len).sum::<usize>();
    body.get(..length).map_or(0, |body| body.trim_end().len())
}
