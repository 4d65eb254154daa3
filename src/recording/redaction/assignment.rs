//! Values that a name or a scheme before them makes secret, as in `password: …`, `?access_token=…` and `Bearer …`.

use std::ops::Range;

use super::secret_name::{SecretName, secret_name};

/// Words before a credential in a header.
const SCHEMES: &[&str] = &["bearer", "basic", "digest"];
/// Shorter values are taken for words.
const MIN_VALUE: usize = 4;
/// A word without digits after a scheme is a credential from this length on.
const MIN_CREDENTIAL: usize = 20;
/// What encloses a value.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Types, placeholders and other words that stand where a value could.
const NOT_VALUES: &[&str] = &[
    "any",
    "bool",
    "boolean",
    "bytes",
    "empty",
    "enabled",
    "false",
    "hidden",
    "invalid",
    "missing",
    "none",
    "null",
    "number",
    "object",
    "option",
    "optional",
    "password",
    "redacted",
    "required",
    "secret",
    "self",
    "string",
    "text",
    "token",
    "true",
    "undefined",
    "unknown",
    "your",
];

/// What the words before make of the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    Nothing,
    /// After the name of a secret: `=` or `:`.
    Sign(SecretName),
    /// After the sign.
    Value(SecretName),
    /// After a scheme.
    Credential,
}

/// The secret values of a text, given its words.
pub(super) fn values(text: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut expects = Expects::Nothing;
    let mut end = 0;
    for word in words {
        let (gap, content) = (slice(text, end..word.start), slice(text, word.clone()));
        if !gap.chars().all(|char| matches!(char, ' ' | '\t' | '\\') || QUOTES.contains(&char)) {
            expects = Expects::Nothing;
        }
        let place = Place { text, word, quote: gap.chars().next_back().filter(|char| QUOTES.contains(char)) };
        if place.is_value(content, expects) {
            found.push(place.value());
        }
        found.extend(assigned(content).into_iter().map(|range| word.start + range.start..word.start + range.end));
        expects = after(expects, content);
        end = word.end;
    }
    found
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// A word in its text.
struct Place<'t> {
    text: &'t str,
    word: &'t Range<usize>,
    /// The quote right before it.
    quote: Option<char>,
}

impl Place<'_> {
    fn is_value(&self, word: &str, expects: Expects) -> bool {
        if word.chars().count() < MIN_VALUE && self.quote.is_none() || !may_be_value(word) {
            return false;
        }
        match expects {
            Expects::Nothing | Expects::Sign(_) => false,
            Expects::Value(_) if SCHEMES.contains(&word.to_ascii_lowercase().as_str()) => false,
            Expects::Value(_) if is_mixed(word) || self.quote.is_some() => true,
            Expects::Value(name) => name == SecretName::Sure && !self.is_code(word),
            Expects::Credential => is_mixed(word) || word.chars().count() >= MIN_CREDENTIAL,
        }
    }

    /// Whether the word is an expression rather than a literal.
    fn is_code(&self, word: &str) -> bool {
        let is_called = slice(self.text, self.word.end..self.text.len()).starts_with(['(', '<', '[', '{']);
        let last = word.rsplit(['.', ':']).next().unwrap_or(word);
        is_called || word.contains("::") || last != word && secret_name(last).is_some()
    }

    /// The value that begins with the word: up to the closing quote if it is quoted.
    fn value(&self) -> Range<usize> {
        let rest = slice(self.text, self.word.start..self.text.len());
        let line = rest.split('\n').next().unwrap_or(rest);
        let quoted = self.quote.and_then(|quote| line.find(quote)).map(|end| slice(line, 0..end));
        let length = quoted.map_or(0, |value| value.trim_end_matches('\\').len());
        self.word.start..self.word.end.max(self.word.start + length)
    }
}

/// What is expected after a word.
fn after(expects: Expects, word: &str) -> Expects {
    let is_sign = matches!(word, ":" | "=" | ":=" | "=>");
    let ends_in_sign = word.ends_with([':', '=']);
    let name = word.trim_end_matches([':', '=']);
    let is_scheme = SCHEMES.contains(&name.to_ascii_lowercase().as_str());
    match (expects, secret_name(name)) {
        (Expects::Sign(name), _) if is_sign => Expects::Value(name),
        // The credential of a header comes after its scheme.
        (Expects::Value(name), _) if is_scheme => Expects::Value(name),
        _ if is_scheme => Expects::Credential,
        (_, Some(name)) if ends_in_sign => Expects::Value(name),
        (_, Some(name)) => Expects::Sign(name),
        _ => Expects::Nothing,
    }
}

/// Whether a word is not a placeholder.
fn may_be_value(word: &str) -> bool {
    let lower = word.trim_matches(|char: char| !char.is_alphanumeric()).to_ascii_lowercase();
    !word.starts_with(['$', '*', '%', '&', '<', '=', ':', '>'])
        && word.contains(|char: char| char.is_alphanumeric())
        && !NOT_VALUES.contains(&lower.as_str())
}

/// Whether a word has digits, or both upper and lower case, as few plain words do.
fn is_mixed(word: &str) -> bool {
    let has = |is_kind: fn(&char) -> bool| word.chars().any(|char| is_kind(&char));
    has(char::is_ascii_digit) || has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase)
}

/// The values in `password=value`, `password:value` and the query of a URL.
fn assigned(word: &str) -> Vec<Range<usize>> {
    let value = |(at, _): (usize, &str)| {
        let name = slice(word, 0..at).rsplit(['?', '&', '/', '=', ':', '#', '@']).next()?;
        let value = slice(word, at + 1..word.len());
        let value = value.split('&').next().unwrap_or(value);
        let long = value.chars().count() >= MIN_VALUE && may_be_value(value);
        let is_secret = match secret_name(name)? {
            SecretName::Sure => long,
            SecretName::Likely => long && !value.starts_with(['/', '~', '.']),
        };
        is_secret.then_some(at + 1..at + 1 + value.len())
    };
    word.match_indices(['=', ':']).filter_map(value).collect()
}
