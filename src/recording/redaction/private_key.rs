//! The bodies of private keys in PEM, also of those that are cut off.

use std::ops::Range;

/// The body of each private key: up to its end, or as long as the text may be base64.
pub(super) fn private_keys(text: &str) -> Vec<Range<usize>> {
    let begins = text.match_indices("PRIVATE KEY-----").map(|(at, begin)| at + begin.len());
    let bodies = begins.filter_map(|start| {
        let rest = text.get(start..)?;
        let end = rest.find("-----").filter(|end| rest.get(*end..).is_some_and(|end| end.starts_with("-----END")));
        Some(start..start + end.unwrap_or_else(|| unfinished(rest)))
    });
    bodies.filter(|body| !body.is_empty()).collect()
}

/// The length of what may belong to a key: base64, and the headers and line numbers between its lines.
fn unfinished(rest: &str) -> usize {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char.is_whitespace() || "+/=\\,:|→-".contains(char);
    let length = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
    rest.get(..length).map_or(0, |body| body.trim_end().len())
}
