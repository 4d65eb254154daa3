//! Normalisation of model ids.
//!
//! [`resolve`] tries a lookup with ever shorter spellings of an id, without the prefixes and suffixes that hosts add.
//! [`nearest`] finds the candidate with the smallest edit distance. The known models are passed in.

/// The maximum length of an id that is looked up.
const MAX_LENGTH: usize = 200;

/// The regions and vendors that hosts write before an id, separated by a full stop or a colon.
const PREFIXES: [&str; 26] = [
    "ai21",
    "amazon",
    "anthropic",
    "apac",
    "au",
    "ca",
    "cohere",
    "deepseek",
    "eu",
    "global",
    "google",
    "google-gla",
    "google-vertex",
    "groq",
    "jp",
    "meta",
    "minimax",
    "mistral",
    "moonshot",
    "moonshotai",
    "openai",
    "openrouter",
    "qwen",
    "us",
    "us-gov",
    "xai",
];

/// The suffixes after a hyphen that select a mode, a release or a host's variant of the same model.
const SUFFIXES: [&str; 18] = [
    "default",
    "exp",
    "fast",
    "fp8",
    "free",
    "high",
    "instruct",
    "latest",
    "low",
    "maas",
    "medium",
    "minimal",
    "non",
    "preview",
    "reasoning",
    "thinking",
    "turbo",
    "xhigh",
];

/// Returns the id without the suffix `[1m]` for a window of a million tokens, and whether it had one.
pub(super) fn strip_long_suffix(id: &str) -> (&str, bool) {
    let end = id.len().saturating_sub(4);
    match id.split_at_checked(end) {
        Some((bare, suffix)) if suffix.eq_ignore_ascii_case("[1m]") => (bare, true),
        _ => (id, false),
    }
}

/// Returns the result of `lookup` for the id, or for the first of its simpler spellings that has one.
pub(super) fn resolve<T>(id: &str, lookup: impl Fn(&str) -> Option<T>) -> Option<T> {
    if id.len() > MAX_LENGTH {
        return None;
    }
    let lower = id.to_ascii_lowercase();
    let mut rest = without_prefix(&lower);
    loop {
        if let Some(found) = lookup(rest).or_else(|| alternative_spellings(rest).iter().find_map(|id| lookup(id))) {
            return Some(found);
        }
        rest = strip_last_suffix(rest)?;
    }
}

/// Returns the candidate with the smallest edit distance to the id, or `None` if all of them differ too much.
pub(super) fn nearest<'c>(id: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    if id.len() > MAX_LENGTH {
        return None;
    }
    let lower = id.to_ascii_lowercase();
    let bare = without_prefix(&lower);
    let distances = candidates.map(|candidate| (strsim::damerau_levenshtein(bare, candidate), candidate));
    let (distance, candidate) = distances.min()?;
    (distance * 4 <= bare.len()).then_some(candidate)
}

/// The id without the prefixes of hosts, such as `openrouter/anthropic/`, `us.anthropic.` and `openai:`.
fn without_prefix(id: &str) -> &str {
    let mut rest = id.rsplit_once('/').map_or(id, |(_, last)| last);
    while let Some((prefix, tail)) = rest.split_once(['.', ':'])
        && PREFIXES.contains(&prefix)
    {
        rest = tail;
    }
    rest
}

/// Other spellings of an id: with full stops for hyphens between digits, with the version on the other side of the
/// name, and with hyphens for full stops between digits.
fn alternative_spellings(id: &str) -> [String; 3] {
    let hyphenated = replace_between_digits(id, '.', '-');
    let swapped = swap_version_and_name(&hyphenated);
    [replace_between_digits(id, '-', '.'), swapped, hyphenated]
}

/// Replaces a character wherever it is between two digits.
fn replace_between_digits(id: &str, from: char, to: char) -> String {
    let is_digit = |at: Option<usize>| at.and_then(|at| id.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let replace = |(at, char): (usize, char)| {
        if char == from && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) { to } else { char }
    };
    id.char_indices().map(replace).collect()
}

/// Converts `claude-sonnet-4-5` to `claude-4-5-sonnet` and the reverse. Returns other ids unchanged.
fn swap_version_and_name(id: &str) -> String {
    let words: Vec<_> = id.split('-').collect();
    let is_number = |word: &&str| word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    match words.as_slice() {
        ["claude", version @ .., name] if version.iter().all(is_number) => {
            format!("claude-{name}-{}", version.join("-"))
        }
        ["claude", name, version @ ..] if version.iter().all(is_number) => {
            format!("claude-{}-{name}", version.join("-"))
        }
        _ => id.to_owned(),
    }
}

/// The id without its last suffix: a tag, a date or a mode. Returns `None` if it has no such suffix.
fn strip_last_suffix(id: &str) -> Option<&str> {
    if let Some((head, _)) = id.rsplit_once(['@', ':']) {
        return Some(head);
    }
    let (head, tail) = id.rsplit_once('-')?;
    let is_date = tail.len() == 8 || tail.len() == 4;
    if tail == "0" || SUFFIXES.contains(&tail) || is_version(tail) || is_date && is_digits(tail) {
        return Some(head);
    }
    let (rest, month) = head.rsplit_once('-')?;
    if !(is_digits(tail) && tail.len() == 2 && is_digits(month) && month.len() == 2) {
        return None;
    }
    match rest.rsplit_once('-') {
        Some((name, year)) if year.len() == 4 && is_digits(year) => Some(name),
        _ => Some(rest),
    }
}

/// Returns whether a word is the version of a host, such as `v1`.
fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|number| number.len() == 1 && is_digits(number))
}

/// Returns whether a word consists of digits only.
fn is_digits(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn suffixes_are_stripped_one_at_a_time() {
        let cases = [
            ("m@20250101", Some("m")),
            ("m-v2:0", Some("m-v2")),
            ("m-v2", Some("m")),
            ("m-20250101", Some("m")),
            ("m-2025-01-01", Some("m")),
            ("m-05-06", Some("m")),
            ("m-latest", Some("m")),
            ("m-4", None),
            ("m-4-1", None),
            ("m", None),
        ];
        for (id, expected) in cases {
            assert_eq!(strip_last_suffix(id), expected, "{id}");
        }
    }

    #[test]
    fn the_id_as_written_is_tried_first() {
        let found = resolve("Vendor/m-4-latest", |id| Some(id.to_owned()));
        assert_eq!(found.as_deref(), Some("m-4-latest"));
    }

    proptest! {
        #[test]
        fn looking_up_any_id_does_not_panic(id in ".{0,60}") {
            prop_assert!(resolve(&id, |_| None::<()>).is_none());
            strip_long_suffix(&id);
            nearest(&id, ["gpt-4o"].into_iter());
        }
    }
}
