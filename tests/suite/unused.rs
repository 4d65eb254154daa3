//! Every public item of a crate is used somewhere besides its tests: the compiler cannot say so across crates.

use std::collections::HashMap;
use std::fs;

use crate::layers;

/// Items that only tests use, with the reason.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("effectiveness", "embedders show it with the strategies of a playbook"),
    ("summaries_at_once", "embedders set it for their summariser"),
    ("of_body", "recognises the dialect of a generated body"),
];

/// What declares an item.
const DECLARATIONS: [&str; 7] = ["fn", "struct", "enum", "trait", "static", "const", "type"];

/// A source file without comments and unit tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines().map(|line| line.split("//").next().unwrap().to_owned() + "\n").collect()
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty())
}

/// The names of the public items that a file declares.
fn public(code: &str) -> Vec<&str> {
    let all: Vec<&str> = words(code).collect();
    let declares = |at: usize| {
        let more = all[at + 1..].iter().take(4);
        let rest: Vec<&&str> = more.skip_while(|word| matches!(**word, "const" | "async")).collect();
        // A constant has its name directly after the word.
        match (all[at + 1], rest.as_slice()) {
            ("const", [name, ..]) if **name != "fn" => Some(**name),
            (_, [kind, name, ..]) if DECLARATIONS.contains(kind) => Some(**name),
            _ => None,
        }
    };
    (0..all.len().saturating_sub(4)).filter(|at| all[*at] == "pub").filter_map(declares).collect()
}

#[test]
fn every_public_item_is_used() {
    let is_test = |name: &str| name.ends_with("/tests.rs") || name.contains("/tests/");
    let sources = layers::sources().into_iter().filter(|(_, name)| !is_test(name));
    let files: Vec<(String, String)> =
        sources.map(|(path, name)| (name, code(&fs::read_to_string(path).unwrap()))).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in files.iter().flat_map(|(_, code)| words(code)) {
        *counts.entry(word).or_default() += 1;
    }
    // The library is what embedders use.
    let inside = files.iter().filter(|(name, _)| !name.starts_with("src/library"));
    let items: Vec<(&str, &str)> =
        inside.flat_map(|(name, code)| public(code).into_iter().map(move |item| (name.as_str(), item))).collect();
    assert!(items.len() > 1_000, "{}", items.len());
    let is_unused = |item: &str| counts[item] < 2;
    let excepted = |item: &str| EXCEPTIONS.iter().any(|(name, _)| *name == item);
    let unused: Vec<_> = items.iter().filter(|(_, item)| is_unused(item) && !excepted(item)).collect();
    assert!(unused.is_empty(), "remove what nothing uses: {unused:?}");
    for (name, _) in EXCEPTIONS {
        assert!(items.iter().any(|(_, item)| *item == name && is_unused(item)), "`{name}` needs no exception any more");
    }
}
