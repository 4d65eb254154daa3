//! Redaction of texts that are JSON: everything but strings and numbers stays as it is written.

use serde_json::Value as Json;

use super::secret_name::secret_name;
use super::{MIN_SECRET_DIGITS, RedactedText, Redactor, number, replacement};

impl Redactor {
    /// Redacts the strings and the numbers in a JSON text.
    pub(super) fn json_text(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut is_secret = false;
        let mut rest = text;
        while let Some((before, literal, after)) = next_string(rest) {
            out.push_str(&self.numbers(before, is_secret));
            is_secret &= !before.contains('}');
            let value: String = serde_json::from_str(literal).unwrap_or_default();
            let redacted = if after.trim_start().starts_with(':') {
                is_secret = secret_name(&value).is_some();
                self.key(&value)
            } else if is_secret {
                self.replacements.all(&value)
            } else {
                self.text(&value)
            };
            // An unchanged string keeps its notation.
            out.push_str(&if redacted == value { literal.to_owned() } else { Json::from(redacted).to_string() });
            rest = after;
        }
        out + &self.numbers(rest, is_secret)
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
            RedactedText::Secrets => usize::MAX,
        };
        let is_long = number::digits(text) >= least || !number::cards(text).is_empty();
        if is_long { number::replaced(text, |digits| self.replacements.all(digits)) } else { text.to_owned() }
    }
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
