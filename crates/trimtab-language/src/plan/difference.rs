//! Differences between two JSON values, each named by its path.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value as Json;

/// The length to which a value is shortened in a message.
const MAX_CHARS: usize = 60;

/// A difference between two JSON values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where they differ, such as `rules[2].do[0].labels.keep`.
    pub path: String,
    /// The value before, as JSON, or `None` if it was added.
    pub before: Option<String>,
    /// The value after, as JSON, or `None` if it was removed.
    pub after: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => write!(out, "{}: {before} is now {after}", self.path),
            (Some(before), None) => write!(out, "{}: {before} was removed", self.path),
            (None, Some(after)) => write!(out, "{}: {after} was added", self.path),
            (None, None) => out.write_str(&self.path),
        }
    }
}

/// The innermost differences between two values, in the order of their paths.
pub fn differences(before: &Json, after: &Json) -> Vec<Difference> {
    let mut all = Vec::new();
    compare("", Some(before), Some(after), &mut all);
    all
}

fn compare(path: &str, before: Option<&Json>, after: Option<&Json>, all: &mut Vec<Difference>) {
    match (before, after) {
        (Some(Json::Object(old)), Some(Json::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for name in keys {
                compare(&key(path, name), old.get(name), new.get(name), all);
            }
        }
        (Some(Json::Array(old)), Some(Json::Array(new))) => {
            for at in 0..old.len().max(new.len()) {
                compare(&index(path, at), old.get(at), new.get(at), all);
            }
        }
        (before, after) if before == after => {}
        (before, after) => {
            all.push(Difference { path: path.to_owned(), before: before.map(shown), after: after.map(shown) });
        }
    }
}

/// The path of a value in an object.
pub(super) fn key(path: &str, name: &str) -> String {
    let is_plain = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    match (is_plain, path) {
        (true, "") => name.to_owned(),
        (true, path) => format!("{path}.{name}"),
        (false, path) => format!("{path}[{}]", Json::from(name)),
    }
}

/// The path of a value in a list.
pub(super) fn index(path: &str, at: usize) -> String {
    format!("{path}[{at}]")
}

/// A value as JSON on one line, shortened.
fn shown(value: &Json) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_difference_has_the_path_of_the_innermost_values_that_differ() {
        let before = json!({ "rules": [{ "do": [{ "keep": 1, "same": 2 }] }], "old": true });
        let after = json!({ "rules": [{ "do": [{ "keep": "x", "same": 2 }, {}] }], ">=": null });
        let all: Vec<String> = differences(&before, &after).iter().map(ToString::to_string).collect();
        let expected = [
            "[\">=\"]: null was added",
            "old: true was removed",
            "rules[0].do[0].keep: 1 is now \"x\"",
            "rules[0].do[1]: {} was added",
        ];
        assert_eq!(all, expected);
        assert_eq!(differences(&before, &before), []);
    }
}
