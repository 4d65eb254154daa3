//! Names of users: found in paths of home directories, replaced wherever they stand as a word.

use std::collections::BTreeSet;
use std::ops::Range;

/// What is before the name of a user in a path, also in names of directories made from paths.
const HOMES: &[&str] = &["/home/", "/Users/", "\\Users\\", "\\\\Users\\\\", ":/Users/", "-home-", "-Users-"];

/// Names that many machines have and that identify nobody.
const GENERIC: &[&str] = &[
    "admin",
    "agent",
    "all",
    "anthropic",
    "app",
    "circleci",
    "claude",
    "coder",
    "codex",
    "default",
    "dev",
    "guest",
    "jovyan",
    "linuxbrew",
    "me",
    "name",
    "node",
    "openai",
    "opencode",
    "public",
    "root",
    "runner",
    "sandbox",
    "shared",
    "swe-agent",
    "test",
    "ubuntu",
    "user",
    "username",
    "users",
    "vscode",
    "work",
    "workspace",
    "you",
    "yourname",
];

/// The most words of a name in a path of Windows.
const MAX_WORDS: usize = 3;

/// Adds the names of users in the paths of a text, as they are compared.
pub(super) fn collect(text: &str, names: &mut BTreeSet<String>) {
    for home in HOMES {
        for rest in text.match_indices(home).filter_map(|(at, found)| text.get(at + found.len()..)) {
            let name = if home.contains('\\') { spaced_name(rest) } else { None };
            for name in name.unwrap_or_else(|| plain_name(rest, home)).split(' ') {
                add(name.trim_end_matches('.'), names);
            }
        }
    }
}

/// The name at the start of a text.
fn plain_name<'t>(rest: &'t str, home: &str) -> &'t str {
    // A dash separates names of directories, so the name ends there.
    let is_part = |char: char| char.is_alphanumeric() || "._".contains(char) || char == '-' && !home.starts_with('-');
    rest.get(..rest.find(|char| !is_part(char)).unwrap_or(rest.len())).unwrap_or_default()
}

/// The directory at the start of a text, if it is a few words; Windows allows spaces in names of users.
fn spaced_name(rest: &str) -> Option<&str> {
    let (name, _) = rest.split_once('\\')?;
    let words = || name.split(' ');
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|char| char.is_alphanumeric() || "._-".contains(char));
    (words().count() <= MAX_WORDS && words().all(is_word)).then_some(name)
}

/// Adds a name, also in the other cases of letters beyond ASCII.
fn add(name: &str, names: &mut BTreeSet<String>) {
    let lower = name.to_lowercase();
    if lower.chars().count() < 2 || GENERIC.contains(&lower.as_str()) {
        return;
    }
    names.extend([name.to_ascii_lowercase(), name.to_uppercase().to_ascii_lowercase(), lower]);
}

/// Where names stand as words of a text, in upper or lower case.
pub(super) fn occurrences(text: &str, names: &BTreeSet<String>) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let is_word = |range: &Range<usize>| {
        let before = text.get(..range.start).and_then(|before| before.chars().next_back());
        let after = text.get(range.end..).and_then(|after| after.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    };
    let places = names.iter().flat_map(|name| lower.match_indices(name.as_str()));
    places.map(|(at, name)| at..at + name.len()).filter(is_word).collect()
}
