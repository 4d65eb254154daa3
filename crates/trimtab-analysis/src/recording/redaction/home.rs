//! The names of home directories in paths, in URLs and in names of directories made from paths.

/// Directories of home directories, and whether that is only so in paths of Windows.
const HOMES: &[(&str, bool)] =
    &[("Documents and Settings", true), ("USERS", true), ("Users", false), ("home", false), ("users", true)];
/// The most words of a name.
const MAX_WORDS: usize = 3;

/// What separates the directories of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Slash,
    Backslash,
    /// In names of directories made from paths.
    Dash,
}

/// The words of the names of home directories in a text.
pub(super) fn names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (home, is_windows) in HOMES {
        for (at, _) in text.match_indices(home) {
            let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + home.len()..).unwrap_or_default());
            let Some((separator, rest)) = separated(before, after) else { continue };
            if *is_windows && separator != Separator::Backslash {
                continue;
            }
            match spaced_name(rest, separator, begins_a_text(before)) {
                Some(words) => found.extend(words),
                None => found.extend(plain_name(rest, separator)),
            }
        }
    }
    found
}

/// The separator around a directory, and what is after it.
fn separated<'t>(before: &str, after: &'t str) -> Option<(Separator, &'t str)> {
    let escape = before.get(before.len().saturating_sub(3)..).unwrap_or_default().to_ascii_uppercase();
    let first = match before.chars().next_back()? {
        '/' => Separator::Slash,
        '\\' => Separator::Backslash,
        '-' => Separator::Dash,
        _ if escape == "%2F" => Separator::Slash,
        _ if escape == "%5C" => Separator::Backslash,
        _ => return None,
    };
    let escape = after.get(..3).unwrap_or_default().to_ascii_uppercase();
    let unescaped = after.trim_start_matches('\\');
    let (second, rest) = match after.chars().next()? {
        '-' => (Separator::Dash, after.get(1..)?),
        '/' => (Separator::Slash, after.get(1..)?),
        '\\' if first == Separator::Slash => (Separator::Slash, unescaped.strip_prefix('/')?),
        '\\' => (Separator::Backslash, unescaped),
        _ if escape == "%2F" => (Separator::Slash, after.get(3..)?),
        _ if escape == "%5C" => (Separator::Backslash, after.get(3..)?),
        _ => return None,
    };
    (first == second).then_some((second, rest))
}

/// Whether a path is the beginning of a text or of its quotes, so that its end is that of the text or of the quotes.
fn begins_a_text(before: &str) -> bool {
    let path = before.trim_end_matches(['/', '\\']);
    let path = path
        .strip_suffix(':')
        .and_then(|path| path.strip_suffix(|char: char| char.is_ascii_alphabetic()))
        .unwrap_or(path);
    path.is_empty() || path.ends_with(['"', '\'', '`'])
}

/// The words of a name that has spaces: a directory, or the end of a path. If only spaces are between them, each begins
/// with a capital, because a sentence could go on there; after a separator of Windows this is rare.
fn spaced_name(rest: &str, separator: Separator, is_whole: bool) -> Option<Vec<&str>> {
    if separator == Separator::Dash {
        return None;
    }
    let (mut words, mut left, mut is_plain) = (Vec::new(), rest, false);
    loop {
        let end = left.find(|char: char| !char.is_alphanumeric() && !"._-".contains(char)).unwrap_or(left.len());
        let (word, after) = left.split_at_checked(end)?;
        words.push(word);
        if word.is_empty() || words.len() > MAX_WORDS {
            return None;
        }
        let escaped = after.strip_prefix("%20").or_else(|| after.strip_prefix("\\ "));
        let Some(next) = escaped.or_else(|| after.strip_prefix(' ')) else {
            left = after;
            break;
        };
        is_plain |= escaped.is_none();
        left = next;
    }
    let is_capital = |word: &&str| word.starts_with(char::is_uppercase);
    let are_capital = || words.iter().all(is_capital);
    let is_path = match separator {
        Separator::Backslash => left.starts_with('\\') || left.starts_with("%5C"),
        _ => left.starts_with(['/', '\\']) || left.starts_with("%2F"),
    };
    let is_end = left.is_empty() || left.starts_with(['"', '\'', '`', '\n']) || left.starts_with("\\\"");
    let is_name = words.len() > 1
        && (is_path && (!is_plain || separator == Separator::Backslash || are_capital())
            || is_end && (!is_plain || is_whole && are_capital()));
    is_name.then_some(words)
}

/// The name at the start of a text.
fn plain_name(rest: &str, separator: Separator) -> Option<&str> {
    // A dash separates names of directories, so the name ends there.
    let is_part =
        |char: char| char.is_alphanumeric() || "._".contains(char) || char == '-' && separator != Separator::Dash;
    rest.get(..rest.find(|char| !is_part(char)).unwrap_or(rest.len()))
}
