//! Keys of model servers.

use std::env;
use std::fmt;

use trimtab_base::conversation::shorten;
use trimtab_base::source::sanitize;

/// A key of a model server. No output of this crate contains it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// The part that two texts share before one of them is taken for a part of the key, in characters.
const MIN_SHARED: usize = 4;

impl ApiKey {
    /// A key without the white space around it.
    ///
    /// # Errors
    /// If it is empty or cannot be part of an HTTP header.
    pub fn new(key: &str) -> Result<Self, KeyError> {
        let key = key.trim();
        if key.is_empty() {
            return Err(KeyError::Empty);
        }
        if !key.chars().all(|char| char.is_ascii_graphic()) {
            return Err(KeyError::Characters);
        }
        Ok(Self(key.to_owned()))
    }

    /// The key in an environment variable.
    ///
    /// # Errors
    /// If the variable is not set or contains no key.
    #[expect(clippy::disallowed_methods, reason = "a caller of this function asks to read the environment")]
    pub fn from_variable(name: &str) -> Result<Self, KeyError> {
        let value = env::var_os(name).ok_or_else(|| KeyError::Unset(name.to_owned()))?;
        let key = value.to_str().ok_or(KeyError::Characters).and_then(Self::new);
        key.map_err(|error| KeyError::Variable { name: name.to_owned(), error: Box::new(error) })
    }

    /// The key itself, for the header of a request.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// A text of the server without the key, and without words that begin or end like it: servers quote keys in part.
    fn redact(&self, text: &str) -> String {
        let text = if self.is_long() { text.replace(&self.0, "…") } else { text.to_owned() };
        // What remains of a key that a server shortens: characters of keys, and those that stand for the missing part.
        let is_of_key = |char: char| char.is_alphanumeric() || "-_.+/~*…•".contains(char);
        let is_separator = |char: char| !is_of_key(char);
        let words = text.split_inclusive(is_separator).map(|word| {
            let trimmed = word.trim_end_matches(|char| is_separator(char) || char == '.');
            if self.resembles(trimmed) { word.replacen(trimmed, "…", 1) } else { word.to_owned() }
        });
        words.collect()
    }

    /// Whether it may be replaced inside words too. A short key is a placeholder for a server that needs none.
    fn is_long(&self) -> bool {
        self.0.len() >= 2 * MIN_SHARED
    }

    fn resembles(&self, word: &str) -> bool {
        if !self.is_long() {
            return word == self.0;
        }
        let same = |pair: &(char, char)| pair.0 == pair.1;
        let start = word.chars().zip(self.0.chars()).take_while(same).count();
        let end = word.chars().rev().zip(self.0.chars().rev()).take_while(same).count();
        start.max(end) >= MIN_SHARED
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// A text of the server for an error message: one short line without the key.
pub(super) fn quoted(text: &str, key: Option<&ApiKey>) -> String {
    /// The most characters that are shown.
    const MAX_CHARS: usize = 300;
    /// The most characters that are searched for the key.
    const MAX_READ: usize = 4000;
    let read = shorten(text.trim(), MAX_READ);
    let redacted = key.map_or(read.clone(), |key| key.redact(&read));
    shorten(&sanitize::line(&redacted), MAX_CHARS)
}

/// Why there is no key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// The environment variable is not set.
    Unset(String),
    /// The key is empty.
    Empty,
    /// The key contains characters other than printable ASCII.
    Characters,
    /// The value of an environment variable is not a key.
    Variable {
        /// The name of the variable.
        name: String,
        /// Why.
        error: Box<KeyError>,
    },
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset(name) => write!(f, "the environment variable `{name}` is not set"),
            Self::Empty => f.write_str("the key is empty"),
            Self::Characters => f.write_str("the key contains characters other than printable ASCII"),
            Self::Variable { name, error } => write!(f, "{error} (environment variable `{name}`)"),
        }
    }
}

impl std::error::Error for KeyError {}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-proj-abcdefghij1234567890";

    #[test]
    fn quoted_text_has_neither_the_key_nor_parts_of_it() {
        let key = ApiKey::new(KEY).expect("a key");
        for (text, expected) in [
            (
                "Incorrect API key provided: sk-proj-********7890. Find yours",
                "Incorrect API key provided: …. Find yours",
            ),
            ("\"x-api-key\":\"sk-proj-abcdefghij1234567890\"", "\"x-api-key\":\"…\""),
            ("key=...7890, wrong", "key=…, wrong"),
            ("invalid key [sk-proj-abcd***7890] (...7890)", "invalid key […] (…)"),
            ("<k>sk-proj-abcde</k> {7890} |sk-proj…| \u{201c}sk-proj\u{201d}", "<k>…</k> {…} |…| \u{201c}…\u{201d}"),
            ("a\u{1b}[31m\nb", "a\u{fffd}[31m b"),
        ] {
            assert_eq!(quoted(text, Some(&key)), expected);
        }
        let short = ApiKey::new("x").ok();
        assert_eq!(quoted("an example, x", short.as_ref()), "an example, …");
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
        assert!(!quoted(&format!("{}{KEY}", "x".repeat(295)), Some(&key)).contains("sk-p"));
    }

    #[test]
    fn a_key_is_one_word_of_ascii() {
        assert_eq!(ApiKey::new(" k1 \n"), ApiKey::new("k1"));
        assert_eq!(ApiKey::new("\n"), Err(KeyError::Empty));
        assert_eq!(ApiKey::new("a b"), Err(KeyError::Characters));
        let error = ApiKey::from_variable("TRIMTAB_NO_SUCH_VARIABLE").expect_err("it is not set");
        assert_eq!(error.to_string(), "the environment variable `TRIMTAB_NO_SUCH_VARIABLE` is not set");
    }
}
