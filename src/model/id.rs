//! Spellings of model ids.
//!
//! In: an id as a host or a recording writes it. Out: what a look-up finds under its plainer spellings, or the id that
//! comes nearest. It does not know which models there are.

/// Ids longer than this name nothing.
const LONGEST: usize = 200;

/// What may stand before an id, with a full stop or a colon between: regions and vendors.
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

/// Words behind a dash that choose a mode, a release or a host's variant, but no other model.
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

/// The id without a marker for a window of a million tokens, and whether it had one.
pub(super) fn unmark_long(id: &str) -> (&str, bool) {
    let end = id.len().saturating_sub(4);
    match id.split_at_checked(end) {
        Some((bare, mark)) if mark.eq_ignore_ascii_case("[1m]") => (bare, true),
        _ => (id, false),
    }
}

/// What `look` finds for the id or for the first of its plainer spellings.
pub(super) fn resolve<T>(id: &str, look: impl Fn(&str) -> Option<T>) -> Option<T> {
    if id.len() > LONGEST {
        return None;
    }
    let lower = id.to_ascii_lowercase();
    let mut rest = without_prefix(&lower);
    loop {
        if let Some(found) = look(rest).or_else(|| respelled(rest).iter().find_map(|id| look(id))) {
            return Some(found);
        }
        rest = peel(rest)?;
    }
}

/// The candidate that takes the fewest slips to write as the id; none when it takes too many.
pub(super) fn nearest<'c>(id: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    if id.len() > LONGEST {
        return None;
    }
    let lower = id.to_ascii_lowercase();
    let bare = without_prefix(&lower);
    let distances = candidates.map(|one| (strsim::damerau_levenshtein(bare, one), one));
    let (distance, one) = distances.min()?;
    (distance * 4 <= bare.len()).then_some(one)
}

/// The id without what hosts write before it: `openrouter/anthropic/`, `us.anthropic.`, `openai:`.
fn without_prefix(id: &str) -> &str {
    let mut rest = id.rsplit_once('/').map_or(id, |(_, last)| last);
    while let Some((prefix, tail)) = rest.split_once(['.', ':'])
        && PREFIXES.contains(&prefix)
    {
        rest = tail;
    }
    rest
}

/// The same id with dashes for full stops between digits, the reverse, and with the version on the other side.
fn respelled(id: &str) -> [String; 3] {
    let dashed = between_digits(id, '.', '-');
    let turned = turned(&dashed);
    [between_digits(id, '-', '.'), turned, dashed]
}

/// Replaces a character that stands between two digits.
fn between_digits(id: &str, from: char, to: char) -> String {
    let is_digit = |at: Option<usize>| at.and_then(|at| id.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let swap = |(at, one): (usize, char)| {
        if one == from && is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) { to } else { one }
    };
    id.char_indices().map(swap).collect()
}

/// `claude-4-5-sonnet` for `claude-sonnet-4-5`, and the reverse; other ids come back as they are.
fn turned(id: &str) -> String {
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

/// The id without its last mark: a tag, a date, a mode; none when it has no such mark.
fn peel(id: &str) -> Option<&str> {
    if let Some((head, _)) = id.rsplit_once(['@', ':']) {
        return Some(head);
    }
    let (head, tail) = id.rsplit_once('-')?;
    let is_date = tail.len() == 8 || tail.len() == 4;
    if tail == "0" || SUFFIXES.contains(&tail) || is_version(tail) || is_date && is_digits(tail) {
        return Some(head);
    }
    let (before, month) = head.rsplit_once('-')?;
    if !(is_digits(tail) && tail.len() == 2 && is_digits(month) && month.len() == 2) {
        return None;
    }
    match before.rsplit_once('-') {
        Some((earlier, year)) if year.len() == 4 && is_digits(year) => Some(earlier),
        _ => Some(before),
    }
}

/// Whether a word is a host's version: `v1`, `v2`.
fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|number| number.len() == 1 && is_digits(number))
}

/// Whether a word is all digits.
fn is_digits(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_come_off_one_by_one() {
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
            assert_eq!(peel(id), expected, "{id}");
        }
    }

    #[test]
    fn the_spelling_as_it_stands_wins() {
        let found = resolve("Vendor/m-4-latest", |id| Some(id.to_owned()));
        assert_eq!(found.as_deref(), Some("m-4-latest"));
    }

    proptest! {
        #[test]
        fn any_id_is_looked_up_without_harm(id in ".{0,60}") {
            prop_assert!(resolve(&id, |_| None::<()>).is_none());
            unmark_long(&id);
            nearest(&id, ["gpt-4o"].into_iter());
        }
    }
}
