//! Secret values of elements in XML, as in `<password>…</password>` and `<key>API_KEY</key> <string>…</string>`.

use std::ops::Range;

use super::secret_name::{SecretName, secret_name};
use super::value::{is_mixed, is_random, may_be_value};

/// Attributes that name the value of an element.
const NAMING: &[&str] = &["id", "key", "name"];
/// What encloses unescaped text.
const UNESCAPED: (&str, &str) = ("<![CDATA[", "]]>");
/// No value is longer.
const MAX_VALUE: usize = 16_384;

/// The secret contents of elements.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // The secret that the element before named.
    let mut named = None;
    for (at, _) in text.match_indices('<') {
        let Some((name, start)) = opening(text, at) else { continue };
        let content = content(text, start);
        let value = content.clone().and_then(|range| text.get(range)).unwrap_or_default();
        let secret = secret_of(name).or(named.take().filter(|_| name.starts_with("string")));
        if name == "key" {
            named = secret_name(value).filter(|secret| *secret > SecretName::Possible);
        } else if secret.is_some_and(|secret| is_value(secret, value)) {
            found.extend(content);
        }
    }
    found
}

/// The content of a tag that begins here and ends none, and the end of the tag.
fn opening(text: &str, at: usize) -> Option<(&str, usize)> {
    let rest = text.get(at + 1..)?;
    let end = rest.find(['<', '>']).filter(|_| rest.starts_with(|char: char| char.is_alphabetic()))?;
    let tag = rest.get(..end)?;
    (rest.get(end..)?.starts_with('>') && !tag.ends_with('/')).then_some((tag, at + 1 + end + 1))
}

/// What is between the end of a tag and the closing tag, without blanks.
fn content(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let blank = rest.len() - rest.trim_start().len();
    let (start, rest) = (start + blank, rest.get(blank..)?);
    if let Some(inner) = rest.strip_prefix(UNESCAPED.0) {
        let bounded = inner.as_bytes().get(..MAX_VALUE.min(inner.len()))?;
        let length = bounded.windows(UNESCAPED.1.len()).position(|bytes| bytes == UNESCAPED.1.as_bytes())?;
        let start = start + UNESCAPED.0.len();
        return Some(start..start + length);
    }
    let length = rest.find('<').filter(|length| *length <= MAX_VALUE)?;
    let closing = rest.get(length + 1..)?;
    let is_closed = closing.starts_with('/') || closing.starts_with("\\/");
    is_closed.then(|| start..start + rest.get(..length).map_or(0, |value| value.trim_end().len()))
}

/// How surely the content of a tag is secret, by its name or by the name that it gives its value.
fn secret_of(tag: &str) -> Option<SecretName> {
    let (name, attributes) = tag.split_once(|char: char| char.is_whitespace()).unwrap_or((tag, ""));
    let name = name.rsplit(':').next().unwrap_or(name);
    let attribute = |attribute: &str| {
        let (name, value) = attribute.split_once('=')?;
        NAMING.contains(&name).then(|| secret_name(value))?
    };
    secret_name(name).or_else(|| attributes.split_whitespace().find_map(attribute))
}

fn is_value(secret: SecretName, value: &str) -> bool {
    may_be_value(value)
        && match secret {
            SecretName::Sure => true,
            SecretName::Likely => is_mixed(value) && !value.contains(' '),
            SecretName::Possible => is_random(value),
        }
}
