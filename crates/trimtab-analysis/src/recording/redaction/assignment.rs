//! Values that a name or a scheme before them makes secret, as in `password: …`, `?access_token=…`, `--password …` and
//! `Bearer …`.

use std::ops::Range;

use super::secret_name::{SecretName, secret_name};
use super::value::{MIN_VALUE, is_code, is_mixed, is_random, may_be_argument, may_be_value};

/// Words before a credential in a header.
const SCHEMES: &[&str] = &["bearer", "basic", "digest"];
/// A word without digits after a scheme is a credential from this length on.
const MIN_CREDENTIAL: usize = 20;
/// What encloses a value.
const QUOTES: [char; 3] = ['"', '\'', '`'];
/// Comparison operators: what is not quoted after them is code.
const COMPARISONS: &[&str] = &["==", "===", "!=", "!=="];
/// Settings whose value follows without an operator.
const SETTINGS: &[&str] = &["masterauth", "requirepass"];
/// Keys whose value is the name of a setting, as in `name: DB_PASSWORD`.
const NAME_KEYS: &[&str] = &["env", "id", "key", "name", "property"];
/// Keys whose value belongs to the setting that was named before, as in `value: …`.
const VALUE_KEYS: &[&str] = &["default", "string", "value"];
/// The maximum number of words between the name of a secret and `value`.
const MAX_BETWEEN: u8 = 4;

/// The number of bytes of a value that are examined.
const MAX_EXAMINED: usize = 256;

/// What the next word is expected to be, after the words before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    Nothing,
    /// After the name of a secret: `=` or `:`.
    Operator(SecretName),
    /// After the operator.
    Value(SecretName),
    /// After `==`, `IDENTIFIED BY` or, in a list, after a quoted name: a quoted value.
    Quoted,
    /// After an option such as `--password`.
    Argument(SecretName),
    /// After a scheme.
    Credential,
    /// After `Cookie:`, up to the end of the line: pairs.
    Cookies,
}

/// The secret values of a text, given its words.
pub(super) fn values(text: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut scan = Scan { text, expects: Expects::Nothing, before: "", named: None };
    let mut found = Vec::new();
    let mut end = 0;
    for word in words {
        let gap = slice(text, end..word.start);
        let place =
            WordContext { text, word, gap, quote: gap.chars().next_back().filter(|char| QUOTES.contains(char)) };
        found.extend(scan.word(&place));
        end = word.end;
    }
    found
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The state between two words.
struct Scan<'t> {
    text: &'t str,
    expects: Expects,
    /// The word before.
    before: &'t str,
    /// A secret whose name was the value of one of [`NAME_KEYS`], and how many words ago.
    named: Option<(SecretName, u8)>,
}

impl<'t> Scan<'t> {
    /// The secret values in a word, or that begin with it.
    fn word(&mut self, place: &WordContext<'t>) -> Vec<Range<usize>> {
        let content = slice(self.text, place.word.clone());
        if !place.continues(self.expects) {
            self.expects = if place.lists_a_value(self.expects) { Expects::Quoted } else { Expects::Nothing };
        }
        let mut found = Vec::new();
        if place.is_value(content, self.expects) {
            found.push(place.value());
        } else if self.expects == Expects::Cookies {
            found.extend(cookie(content).map(|range| place.word.start + range.start..place.word.end));
        }
        found.extend(assigned(content, place));
        self.expects = self.after(place, content);
        self.before = content;
        found
    }

    /// What is expected after a word.
    fn after(&mut self, place: &WordContext, word: &str) -> Expects {
        let ends_in_operator = word.ends_with([':', '=']);
        let name = word.trim_end_matches([':', '=', '?', '+', '|']);
        let lower = name.to_ascii_lowercase();
        let is_scheme = SCHEMES.contains(&lower.as_str());
        let found = secret_name(name);
        let is_after_name_key =
            NAME_KEYS.contains(&self.before.trim_end_matches([':', '=']).to_ascii_lowercase().as_str());
        let named = self.named.take();
        self.named = match found {
            Some(name) if is_after_name_key && name > SecretName::Possible => Some((name, 0)),
            _ => named.filter(|(_, age)| *age < MAX_BETWEEN).map(|(name, age)| (name, age + 1)),
        };
        match (self.expects, found) {
            (Expects::Cookies, _) => Expects::Cookies,
            (Expects::Operator(SecretName::Sure), _) if COMPARISONS.contains(&word) => Expects::Quoted,
            (Expects::Operator(name), _) if is_assignment_operator(word) => Expects::Value(name),
            (Expects::Operator(SecretName::Sure), _) if lower == "is" || lower == "was" => {
                Expects::Value(SecretName::Possible)
            }
            // The credential of a header comes after its scheme.
            (Expects::Value(name), _) if is_scheme => Expects::Value(name),
            _ if is_scheme => Expects::Credential,
            _ if ends_in_operator && (lower == "cookie" || lower == "set-cookie") => Expects::Cookies,
            _ if VALUE_KEYS.contains(&lower.as_str()) && self.named.is_some() => {
                let name = self.named.take().map_or(SecretName::Likely, |(name, _)| name);
                if ends_in_operator { Expects::Value(name) } else { Expects::Operator(name) }
            }
            _ if lower == "by" && self.before.eq_ignore_ascii_case("identified") => Expects::Quoted,
            _ if SETTINGS.contains(&name) && place.is_at_line_start() => Expects::Argument(SecretName::Sure),
            (_, Some(name)) if ends_in_operator => Expects::Value(name),
            (_, Some(name)) if word.starts_with('-') && name > SecretName::Possible => Expects::Argument(name),
            (_, Some(name)) => Expects::Operator(name),
            _ => Expects::Nothing,
        }
    }
}

/// Whether a word is an assignment operator of configurations or programs.
fn is_assignment_operator(word: &str) -> bool {
    matches!(word, ":" | "=" | ":=" | "?=" | "+=" | "::" | "=>")
}

/// A word in its text.
struct WordContext<'t> {
    text: &'t str,
    word: &'t Range<usize>,
    /// What is between the word before and this one.
    gap: &'t str,
    /// The quote right before it.
    quote: Option<char>,
}

impl WordContext<'_> {
    /// Whether nothing but spaces and quotes is between this word and the one before.
    fn continues(&self, expects: Expects) -> bool {
        let is_blank = |char: char| matches!(char, ' ' | '\t' | '\\') || QUOTES.contains(&char);
        match expects {
            Expects::Cookies => !self.gap.contains('\n'),
            Expects::Argument(_) => self.separates_argument(),
            // `words` splits `=>` after the `=`.
            Expects::Value(_) => self.gap.strip_prefix('>').unwrap_or(self.gap).chars().all(is_blank),
            _ => self.gap.chars().all(is_blank),
        }
    }

    /// Whether the gap is between an option and its argument: spaces, a new line after a backslash, or a comma in a list.
    fn separates_argument(&self) -> bool {
        let before = self.gap.trim_end_matches(|char| QUOTES.contains(&char) || char == '\\');
        let blank = before.trim_start_matches([' ', '\t']);
        let blank = blank.strip_prefix("\\\n").unwrap_or(blank).trim_start_matches([' ', '\t']);
        !before.is_empty() && blank.is_empty() || self.is_next_in_list()
    }

    /// Whether the gap is between two quoted texts of a list.
    fn is_next_in_list(&self) -> bool {
        let inner = self.gap.trim_matches(|char| char == '\\' || char == ' ' || char == '\n');
        let inner = inner.strip_prefix(QUOTES).and_then(|inner| inner.strip_suffix(QUOTES));
        inner.is_some_and(|inner| inner.trim_matches(['\\', ' ', '\n']) == ",")
    }

    /// Whether a quoted name and a quoted value with digits are in a list, as arguments of a call often are.
    fn lists_a_value(&self, expects: Expects) -> bool {
        let has_digit = || slice(self.text, self.word.clone()).contains(|char: char| char.is_ascii_digit());
        matches!(expects, Expects::Operator(SecretName::Sure)) && self.is_next_in_list() && has_digit()
    }

    fn is_value(&self, word: &str, expects: Expects) -> bool {
        let is_quoted = self.quote.is_some();
        if word.chars().take(MIN_VALUE).count() < MIN_VALUE && !is_quoted || !may_be_value(word) {
            return false;
        }
        match expects {
            Expects::Nothing | Expects::Cookies => false,
            // In SQL, there is no operator before the value.
            Expects::Operator(name) => name == SecretName::Sure && self.is_plainly_quoted(),
            Expects::Value(_) if SCHEMES.contains(&word.to_ascii_lowercase().as_str()) => false,
            Expects::Value(SecretName::Possible) => is_random(word),
            Expects::Value(_) if is_mixed(word) || is_quoted => true,
            Expects::Value(name) => name == SecretName::Sure && !is_code(word, self.rest()),
            Expects::Quoted => is_quoted && secret_name(word).is_none(),
            Expects::Argument(_) => may_be_argument(word) && (is_quoted || !is_code(word, self.rest())),
            Expects::Credential => is_mixed(word) || word.chars().count() >= MIN_CREDENTIAL,
        }
    }

    /// Whether an unquoted name is followed directly by a quoted value of one word, not by a quoted sentence or name.
    fn is_plainly_quoted(&self) -> bool {
        let value = self.value();
        let after = slice(self.text, value.end..self.text.len()).trim_start_matches(QUOTES);
        matches!(self.gap, " '" | " \"") && !after.starts_with(':') && !slice(self.text, value).contains(' ')
    }

    fn rest(&self) -> &str {
        slice(self.text, self.word.end..self.text.len())
    }

    /// The value that begins with the word: up to the closing quote if it is quoted.
    fn value(&self) -> Range<usize> {
        let rest = slice(self.text, self.word.start..self.text.len());
        let end = self.quote.and_then(|quote| rest.find([quote, '\n']));
        let quoted = end.filter(|end| !slice(rest, *end..rest.len()).starts_with('\n')).map(|end| slice(rest, 0..end));
        let length = quoted.map_or(0, |value| value.trim_end_matches('\\').len());
        self.word.start..self.word.end.max(self.word.start + length)
    }

    /// Whether nothing but the marks of a list, a diff or a shell is before the word on its line.
    fn is_at_line_start(&self) -> bool {
        let before = slice(self.text, 0..self.word.start).trim_end_matches([' ', '\t', '+', '-']);
        before.is_empty() || before.ends_with('\n') || before.ends_with("\nexport") || before == "export"
    }

    /// The end of a value at the end of the word: in an environment file, the end of the line or of the quotes.
    fn end_of_setting(&self, name: &str) -> usize {
        let is_setting = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        if !is_setting || !self.is_at_line_start() {
            return self.word.end;
        }
        let is_end = |char: char| char.is_whitespace() || char == '\\' || QUOTES.contains(&char);
        self.word.end + self.rest().find(is_end).unwrap_or(self.rest().len())
    }
}

/// The value of a pair in a header of cookies.
fn cookie(word: &str) -> Option<Range<usize>> {
    let (name, value) = word.split_once('=')?;
    (is_mixed(value) && value.len() >= MIN_VALUE * 2).then_some(name.len() + 1..word.len())
}

/// The values in `password=value`, `password:value` and the query of a URL, as ranges of the text.
fn assigned(word: &str, place: &WordContext) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in word.match_indices(['=', ':']) {
        let name = slice(word, 0..at).rsplit(['?', '&', '/', '=', ':', '#', '@']).next().unwrap_or_default();
        let is_inside = found.last().is_some_and(|last| place.word.start + at < last.end);
        let Some(secret) = secret_name(name).filter(|_| !is_inside) else { continue };
        let value = slice(word, at + 1..word.len());
        let head = beginning(value);
        let head = head.split('&').next().unwrap_or(head);
        let is_long = head.chars().take(MIN_VALUE).count() == MIN_VALUE && may_be_value(head);
        let is_secret = match secret {
            SecretName::Sure => true,
            SecretName::Likely => !head.starts_with(['/', '~', '.']),
            SecretName::Possible => is_random(head),
        };
        if is_long && is_secret {
            let start = place.word.start + at + 1;
            let end = start + value.find('&').unwrap_or(value.len());
            found.push(start..if end == place.word.end { place.end_of_setting(name) } else { end });
        }
    }
    found
}

/// The first characters of a value, which are examined.
fn beginning(value: &str) -> &str {
    let mut end = MAX_EXAMINED.min(value.len());
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    slice(value, 0..end)
}
