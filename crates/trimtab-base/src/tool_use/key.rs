//! The keys of arguments, and the words of names.

/// Keys whose values name one of several actions of a tool.
pub(super) const ACTION_KEYS: &[&str] = &["command", "action", "operation", "mode"];

/// Keys whose values are commands.
pub(super) const COMMAND_KEYS: &[&str] = &["command", "cmd", "commands", "script"];

/// The last words of keys whose values are paths.
const PATH_KEYS: &[&str] =
    &["path", "paths", "pathname", "file", "files", "filename", "filenames", "filepath", "filepaths", "document"];

/// Whether the last word of a key in any spelling names a path: `path`, `filePath`, `target_file`.
pub fn is_path_key(key: &str) -> bool {
    // Most keys do not end with one of these words in any spelling, so they need not be split.
    let end = key.trim_end_matches(|c: char| !c.is_alphanumeric()).as_bytes();
    let ends_with = |known: &&str| {
        let start = end.len().checked_sub(known.len());
        start.is_some_and(|start| end[start..].eq_ignore_ascii_case(known.as_bytes()))
    };
    PATH_KEYS.iter().any(ends_with) && key_words(key).next_back().is_some_and(|last| is_in(last, PATH_KEYS))
}

/// Whether one of these words is among the words of a name.
pub(super) fn has_word(name: &str, known: &[&str]) -> bool {
    key_words(name).any(|word| is_in(word, known))
}

fn is_in(word: &str, known: &[&str]) -> bool {
    known.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// The words of an identifier in snake case, kebab case or camel case.
pub(super) fn key_words(key: &str) -> impl DoubleEndedIterator<Item = &str> {
    let mut starts = vec![0];
    let mut was_lower = false;
    for (at, c) in key.char_indices() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            starts.push(at);
        }
        was_lower = c.is_alphanumeric() && !c.is_uppercase();
    }
    starts.push(key.len());
    let bounds: Vec<(usize, usize)> = starts.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let words = bounds.into_iter().filter_map(|(start, end)| key.get(start..end));
    words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_identifiers_are_split_in_every_case() {
        let split = |key| key_words(key).collect::<Vec<_>>().join(" ");
        assert_eq!(split("mcp__web__readFile-now"), "mcp web read File now");
        assert_eq!(split("HTTPGet"), "HTTPGet");
        assert_eq!(split("__"), "");
        assert_eq!(split("目录Path"), "目录 Path");
    }
}
