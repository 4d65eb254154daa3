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
const SUFFIXES: [&str; 20] = [
    "default",
    "exp",
    "fast",
    "fp8",
    "free",
    "high",
    "highspeed",
    "instruct",
    "latest",
    "lightning",
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

/// The suffixes of variants that a host runs in another way, for another price.
const VARIANTS: [&str; 5] = ["fast", "free", "highspeed", "lightning", "turbo"];

/// The hosts, as the first part of an id, that run a model on the user's own machine.
const LOCAL: [&str; 6] = ["llamacpp", "lm_studio", "lmstudio", "local", "ollama", "ollama_chat"];

/// What was found for an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Resolved<T> {
    pub(super) found: T,
    /// Whether the id names another variant of the found model, or a host on the user's own machine, so that prices may
    /// differ.
    pub(super) is_variant: bool,
}

/// Returns the result of `lookup` for the id, or for the first of its simpler spellings that has one.
pub(super) fn resolve<T>(id: &str, lookup: impl Fn(&str) -> Option<T>) -> Option<Resolved<T>> {
    if id.len() > MAX_LENGTH {
        return None;
    }
    let lower = id.to_ascii_lowercase();
    let mut rest = without_prefix(&lower);
    let prefix = lower.strip_suffix(rest).unwrap_or_default();
    let mut is_variant = prefix.split('/').any(|host| LOCAL.contains(&host));
    loop {
        if let Some(found) = with_prefix(prefix, rest, &lookup) {
            return Some(Resolved { found, is_variant: false });
        }
        if let Some(found) = spelled(rest, &lookup) {
            return Some(Resolved { found, is_variant });
        }
        let shorter = strip_last_suffix(rest)?;
        is_variant |= is_priced_apart(rest.strip_prefix(shorter).unwrap_or_default());
        rest = shorter;
    }
}

/// Returns the result of `lookup` for a spelling of the id that means the same release: with other separators, or without
/// its date. Hosts and modes stay.
pub(super) fn resolve_release<T>(id: &str, lookup: impl Fn(&str) -> Option<T>) -> Option<T> {
    let lower = id.to_ascii_lowercase();
    let without_date = strip_last_suffix(&lower).filter(|shorter| {
        let date = lower.strip_prefix(shorter).unwrap_or_default();
        date.len() > 4 && date.chars().all(|char| char.is_ascii_digit() || char == '-' || char == '@')
    });
    spelled(&lower, &lookup).or_else(|| spelled(without_date?, &lookup))
}

/// Looks an id up with its host, or with the end of a longer path of hosts.
fn with_prefix<T>(prefix: &str, rest: &str, lookup: impl Fn(&str) -> Option<T>) -> Option<T> {
    let whole = format!("{prefix}{rest}");
    let mut tail = (!prefix.is_empty()).then_some(whole.as_str());
    while let Some(id) = tail {
        if let Some(found) = lookup(id) {
            return Some(found);
        }
        tail = id.split_once('/').map(|(_, tail)| tail).filter(|tail| tail.len() > rest.len());
    }
    None
}

/// Looks an id up in all of its spellings.
fn spelled<T>(id: &str, lookup: impl Fn(&str) -> Option<T>) -> Option<T> {
    lookup(id).or_else(|| alternative_spellings(id).iter().find_map(|id| lookup(id)))
}

/// Whether a suffix with its separator names a variant with a price of its own: a mode such as `-fast`, or a tag that is
/// neither a version nor a date.
fn is_priced_apart(suffix: &str) -> bool {
    match suffix.strip_prefix([':', '@']) {
        Some(tag) => !(is_digits(tag) || SUFFIXES.contains(&tag) && !VARIANTS.contains(&tag)),
        None => VARIANTS.contains(&suffix.trim_start_matches('-')),
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
    fn variants_and_own_machines_may_have_other_prices() {
        let lookup = |id: &str| (id == "m-4").then_some(());
        let is_variant = |id: &str| resolve(id, lookup).map(|found| found.is_variant);
        for id in
            ["m-4", "openai/m-4", "m-4-latest", "m-4:thinking", "us.amazon.m-4-v1:0", "m-4@20250101", "m-4-2025-01-01"]
        {
            assert_eq!(is_variant(id), Some(false), "{id}");
        }
        for id in ["m-4-fast", "vendor/m-4:free", "m-4:7b", "ollama/m-4", "m-4-turbo-preview"] {
            assert_eq!(is_variant(id), Some(true), "{id}");
        }
    }

    #[test]
    fn a_release_has_several_spellings() {
        let lookup = |id: &str| (id == "claude-m-4-5").then_some(());
        for id in ["claude-m-4.5", "Claude-4.5-m", "claude-m-4-5-20250929", "claude-m-4-5@20250929"] {
            assert_eq!(resolve_release(id, lookup), Some(()), "{id}");
        }
        for id in ["claude-m-4-5-fast", "azure/claude-m-4-5", "claude-m-4-5-latest"] {
            assert_eq!(resolve_release(id, lookup), None, "{id}");
        }
    }

    #[test]
    fn the_id_as_written_is_tried_first() {
        let found = resolve("Vendor/m-4-latest", |id| Some(id.to_owned()));
        assert_eq!(found.map(|found| found.found).as_deref(), Some("vendor/m-4-latest"));
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
