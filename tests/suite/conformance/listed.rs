//! `docs/conformance.md` names all tests of this folder and only existing tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = "docs/conformance.md";
const FOLDER: &str = "tests/suite/conformance";

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

/// The tests in a folder, each with the case of the original system that its comment names.
fn tests(folder: &str) -> BTreeMap<String, String> {
    let mut paths = Vec::new();
    files(Path::new(folder), &mut paths);
    let mut tests = BTreeMap::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let (mut comment, mut is_test) = (String::new(), false);
        for line in fs::read_to_string(path).unwrap().lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("/// ") {
                text.clone_into(&mut comment);
            } else if line == "#[test]" {
                is_test = true;
            } else if let Some(rest) = line.strip_prefix("fn ").filter(|_| is_test) {
                let name = rest.split('(').next().unwrap().to_owned();
                let before = tests.insert(name.clone(), std::mem::take(&mut comment));
                assert!(before.is_none() || !folder.ends_with("conformance"), "two tests are called {name}");
                is_test = false;
            } else if !line.starts_with("#[") {
                comment.clear();
            }
        }
    }
    tests
}

/// A row of a table: its cells, without those of head and rule.
fn rows(page: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = page.lines().collect();
    let is_rule = |line: &str| line.starts_with("|---");
    let row = |(at, line): (usize, &&str)| {
        let head = lines.get(at + 1).is_some_and(|next| is_rule(next));
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        (!head && !is_rule(line)).then(|| cells.map(|cell| cell.trim().to_owned()).collect())
    };
    lines.iter().enumerate().filter_map(row).collect()
}

/// The words in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The numbers of differences, such as `D7`.
fn differences(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| is_difference(word)).collect()
}

fn is_difference(word: &str) -> bool {
    word.strip_prefix('D').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[test]
fn the_page_names_only_tests_that_exist() {
    let page = fs::read_to_string(PAGE).unwrap();
    let mut known = tests("tests");
    known.extend(tests("src"));
    known.extend(tests("crates"));
    let rows = rows(&page);
    assert!(rows.len() > 150, "{} rows", rows.len());
    for row in &rows {
        let answer = row.last().unwrap();
        for name in quoted(answer) {
            assert!(known.contains_key(name), "`{name}` is no test: {row:?}");
        }
        assert!(!quoted(answer).is_empty() || !differences(answer).is_empty() || is_difference(&row[0]), "{row:?}");
    }
}

#[test]
fn the_page_names_every_test_and_every_case_of_this_folder() {
    let page = fs::read_to_string(PAGE).unwrap();
    let rows = rows(&page);
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| quoted(row.last().unwrap())).collect();
    let own = tests(FOLDER);
    assert!(own.len() > 100, "{} tests", own.len());
    for (test, comment) in own.iter().filter(|(test, _)| !test.starts_with("the_page_")) {
        assert!(named.contains(test.as_str()), "{PAGE} does not name `{test}`");
        for case in quoted(comment) {
            let found = rows
                .iter()
                .any(|row| quoted(&row[0]) == [case] && quoted(row.last().unwrap()).contains(&test.as_str()));
            assert!(found, "{PAGE} does not say that `{test}` is the case `{case}`");
        }
    }
}

#[test]
fn the_page_explains_each_difference_that_it_refers_to_once() {
    let page = fs::read_to_string(PAGE).unwrap();
    let rows = rows(&page);
    let explained: Vec<&str> = rows.iter().map(|row| row[0].as_str()).filter(|first| is_difference(first)).collect();
    let numbers: Vec<String> = (1..=explained.len()).map(|number| format!("D{number}")).collect();
    assert_eq!(explained, numbers, "in order, each once");
    for row in rows.iter().filter(|row| !is_difference(&row[0])) {
        for reference in differences(row.last().unwrap()) {
            assert!(explained.contains(&reference), "{reference} is not explained: {row:?}");
        }
    }
    for row in rows.iter().filter(|row| is_difference(&row[0])) {
        assert_eq!(row.len(), 6, "{row:?}");
    }
}
