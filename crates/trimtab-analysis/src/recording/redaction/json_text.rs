//! Redaction of texts that are JSON: everything but strings and numbers stays as it is written.

use serde_json::{Map, Value as Json};

use super::secret_name::{SecretName, secret_name};
use super::value::{is_secret_text, may_be_argument};
use super::{MIN_SECRET_DIGITS, RedactedText, Redactor, number, replacement};

/// Keys whose values name what the value beside them is.
const NAMING: &[&str] = &["key", "name"];
/// Keys of such values.
const VALUES: &[&str] = &["default", "value"];

/// The secret that the strings of a JSON text announce.
#[derive(Default)]
struct Announced {
    /// The last key.
    key: String,
    /// The name of the secret that the key names, or the option before in a list.
    secret: Option<SecretName>,
    /// The name of a secret that is the value of `name`.
    named: Option<SecretName>,
}

impl Announced {
    /// Reads what is between two strings.
    fn between(&mut self, text: &str) {
        if text.contains('}') {
            self.secret = None;
        }
        if text.contains(['{', '}']) {
            self.named = None;
        }
    }

    fn key(&mut self, key: &str) {
        let is_value = VALUES.contains(&key);
        self.secret = secret_name(key).or(self.named.filter(|_| is_value));
        key.clone_into(&mut self.key);
    }

    /// Whether a value is secret.
    fn is_secret(&mut self, value: &str) -> bool {
        if NAMING.contains(&self.key.as_str()) {
            self.named = secret_name(value).filter(|secret| *secret > SecretName::Possible);
        }
        self.secret.is_some_and(|secret| is_secret_text(secret, value))
    }
}

impl Redactor {
    /// Redacts the strings and the numbers in a JSON text.
    pub(super) fn json_text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut announced = Announced::default();
        // Whether the string before in a list is an option such as `--password`.
        let mut is_argument = false;
        let mut rest = text;
        while let Some((before, literal, after)) = next_string(rest) {
            out.push_str(&self.numbers(before, announced.secret.is_some_and(|secret| secret > SecretName::Possible)));
            announced.between(before);
            let value: String = serde_json::from_str(literal).unwrap_or_default();
            is_argument &= before.trim() == "," && may_be_argument(&value);
            let redacted = if after.trim_start().starts_with(':') {
                announced.key(&value);
                self.key(&value)
            } else if announced.is_secret(&value) || is_argument {
                self.replacements.all(&value)
            } else {
                self.text(&value)
            };
            is_argument = is_secret_option(&value);
            // An unchanged string keeps its notation.
            out.push_str(&if redacted == value { literal.to_owned() } else { Json::from(redacted).to_string() });
            rest = after;
        }
        out + &self.numbers(rest, announced.secret.is_some_and(|secret| secret > SecretName::Possible))
    }

    /// Redacts the numbers between strings.
    fn numbers(&mut self, text: &str, is_secret: bool) -> String {
        let is_part = |char: char| char.is_ascii_digit() || "+-.eE".contains(char);
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(start) = rest.find(|char: char| char.is_ascii_digit()) {
            let (before, number) = rest.split_at_checked(start).unwrap_or((rest, ""));
            let end = number.find(|char| !is_part(char)).unwrap_or(number.len());
            let (number, after) = number.split_at_checked(end).unwrap_or((number, ""));
            out.push_str(before);
            out.push_str(&self.number(number, is_secret));
            rest = after;
        }
        out + rest
    }

    /// Redacts a number if it is secret or, with every word, long.
    pub(super) fn number(&mut self, text: &str, is_secret: bool) -> String {
        let least = match self.what {
            _ if is_secret => MIN_SECRET_DIGITS,
            RedactedText::All => replacement::MIN_DIGITS,
            RedactedText::Secrets | RedactedText::PersonalNumbers => usize::MAX,
        };
        let is_long = number::digits(text) >= least || !number::cards(text).is_empty();
        if is_long { number::replaced(text, |digits| self.replacements.all(digits)) } else { text.to_owned() }
    }
}

/// Whether a text is an option whose argument is secret, such as `--password`.
pub(super) fn is_secret_option(text: &str) -> bool {
    text.starts_with('-') && secret_name(text).is_some_and(|secret| secret > SecretName::Possible)
}

/// Whether the member of an object is the value of a secret that another member names, as in
/// `{"name": "DB_PASSWORD", "value": …}`.
pub(super) fn is_named_secret(object: &Map<String, Json>, key: &str) -> bool {
    let name = |key: &&str| object.get(*key).and_then(Json::as_str).and_then(secret_name);
    VALUES.contains(&key) && NAMING.iter().filter_map(name).any(|secret| secret > SecretName::Possible)
}

/// The first string literal of a JSON text, with its quotes, the text before it and the text after it.
fn next_string(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find('"')?;
    let mut is_escaped = false;
    let end = text.bytes().enumerate().skip(start + 1).find_map(|(at, byte)| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends.then_some(at + 1)
    })?;
    Some((text.get(..start)?, text.get(start..end)?, text.get(end..)?))
}
