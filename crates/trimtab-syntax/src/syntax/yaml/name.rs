//! Names in YAML as names of the policy language.

use std::collections::HashMap;

use smol_str::{SmolStr, format_smolstr};

use crate::syntax::keyword::Keyword;

/// A valid name that resembles the text: `code-reviewer` becomes `code_reviewer`.
pub(super) fn valid(text: &str) -> SmolStr {
    let mut name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.chars().all(|c| c == '_') {
        return SmolStr::new_static("unnamed");
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if Keyword::is_reserved(&name) {
        name.push_str("_policy");
    }
    name.into()
}

/// Whether the name can be written in a list without quotes.
pub(super) fn fits_a_list(text: &str) -> bool {
    let body = text.strip_suffix('*').unwrap_or(text);
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    text == "*" || body.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && body.chars().all(part)
}

/// Makes names unique.
#[derive(Debug, Default)]
pub(super) struct Names {
    last: HashMap<SmolStr, usize>,
}

impl Names {
    /// The name, with a suffix such as `_2` if it is taken.
    pub(super) fn unique(&mut self, name: &str) -> SmolStr {
        let mut count = self.last.get(name).copied().unwrap_or(0) + 1;
        let mut candidate = if count == 1 { name.into() } else { format_smolstr!("{name}_{count}") };
        while count > 1 && self.last.contains_key(&candidate) {
            count += 1;
            candidate = format_smolstr!("{name}_{count}");
        }
        self.last.insert(name.into(), count);
        self.last.entry(candidate.clone()).or_insert(1);
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid_and_keep_their_words() {
        let cases = [
            ("coder", "coder"),
            ("code-reviewer v2", "code_reviewer_v2"),
            ("2nd", "_2nd"),
            ("test", "test_policy"),
            ("", "unnamed"),
            ("é", "unnamed"),
        ];
        for (text, name) in cases {
            assert_eq!(valid(text), name);
        }
    }

    #[test]
    fn a_taken_name_gets_the_next_free_suffix() {
        let mut names = Names::default();
        let given = ["a", "a_2", "a", "a", "a_2", "b"].map(|name| names.unique(name));
        assert_eq!(given, ["a", "a_2", "a_3", "a_4", "a_2_2", "b"]);
    }

    #[test]
    fn only_names_that_a_list_allows_are_written_without_quotes() {
        assert!(["bash", "mcp__x-y.z/w", "mcp__*", "*", "_a"].iter().all(|name| fits_a_list(name)));
        assert!(!["", "two words", "1st", "a*b", "é"].iter().any(|name| fits_a_list(name)));
    }
}
