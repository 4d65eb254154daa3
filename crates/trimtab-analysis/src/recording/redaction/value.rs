//! What stands where the value of a secret could: placeholders, code and prose are told from secrets.

use super::secret_name::{SecretName, secret_name};

/// Shorter values are taken for words.
pub(super) const MIN_VALUE: usize = 4;
/// Shorter values of names with many meanings are no secrets.
const MIN_RANDOM: usize = 12;

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

/// Words of a sentence that may follow the name of an option.
const NOT_ARGUMENTS: &[&str] = &[
    "and",
    "another",
    "argument",
    "arguments",
    "because",
    "before",
    "being",
    "cannot",
    "command",
    "does",
    "either",
    "file",
    "flag",
    "flags",
    "from",
    "have",
    "here",
    "implies",
    "instead",
    "into",
    "isn",
    "must",
    "only",
    "options",
    "or",
    "over",
    "parameter",
    "prompt",
    "prompts",
    "requires",
    "sets",
    "should",
    "specifies",
    "stdin",
    "takes",
    "that",
    "then",
    "there",
    "this",
    "value",
    "values",
    "variable",
    "when",
    "which",
    "will",
    "with",
    "without",
    "would",
];

/// Whether a word is not a placeholder.
pub(super) fn may_be_value(word: &str) -> bool {
    let lower = word.trim_matches(|char: char| !char.is_alphanumeric()).to_ascii_lowercase();
    !word.starts_with(['$', '*', '%', '&', '<', '=', ':', '>', '{'])
        && word.contains(|char: char| char.is_alphanumeric())
        && !NOT_VALUES.contains(&lower.as_str())
}

/// Whether a word may be the argument of an option rather than the next word of a sentence.
pub(super) fn may_be_argument(word: &str) -> bool {
    let lower = word.trim_matches(|char: char| !char.is_alphanumeric()).to_ascii_lowercase();
    may_be_value(word) && !word.starts_with('-') && !NOT_ARGUMENTS.contains(&lower.as_str())
}

/// Whether a word has digits, or both upper and lower case, as few plain words do.
pub(super) fn is_mixed(word: &str) -> bool {
    let has = |is_kind: fn(&char) -> bool| word.chars().any(|char| is_kind(&char));
    has(char::is_ascii_digit) || has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase)
}

/// Whether a word looks like a key: letters of both cases and digits, and no path, call or name in capitals.
pub(super) fn is_random(word: &str) -> bool {
    let has = |is_kind: fn(&u8) -> bool| word.bytes().any(|byte| is_kind(&byte));
    let (upper, lower) = (has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase));
    let kinds = word.bytes().map(|byte| (byte.is_ascii_digit(), byte.is_ascii_uppercase()));
    let changes = kinds.clone().zip(kinds.skip(1)).filter(|(a, b)| a != b).count();
    word.len() >= MIN_RANDOM
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
        && upper
        && lower
        && changes * 3 >= word.len()
}

/// Whether the value of a name is secret, if it is a text of its own, as in JSON.
pub(super) fn is_secret_text(name: SecretName, text: &str) -> bool {
    name != SecretName::Possible || is_random(text)
}

/// Whether a word is an expression rather than a literal, given what is after it.
pub(super) fn is_code(word: &str, rest: &str) -> bool {
    let is_called = rest.starts_with(['(', '<', '[', '{']);
    let last = word.rsplit(['.', ':']).next().unwrap_or(word);
    is_called || word.contains("::") || last != word && secret_name(last).is_some()
}
