//! The formatter: inputs in `tests/format` with snapshots of their formatted text, and properties of changed files.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use trimtab::format::{FormatError, format_source};
use trimtab::source::{Source, SourceId};
use trimtab::syntax;

use crate::generated;
use crate::golden::snapshot;

fn source(text: &str) -> Source {
    Source::new(SourceId(0), "x.trim", text)
}

/// The `.trim` files in these folders, sorted.
fn files(folders: &[&str]) -> Vec<PathBuf> {
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "trim")).collect();
    files.sort();
    files
}

fn formatted(text: &str) -> String {
    format_source(&source(text)).unwrap_or_else(|error| panic!("{text}\n{error:#?}"))
}

/// The tree of a text without spans, and its comments.
fn content(text: &str) -> (String, Vec<(bool, String)>) {
    let source = source(text);
    let printed = format!("{:?}", syntax::parse(&source).0);
    let mut parts = printed.split("Span { source: SourceId(0), start: ");
    let mut tree = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        tree += part.split_once(" }").map_or(part, |(_, rest)| rest);
    }
    let comments = syntax::comments(&source);
    (tree, comments.into_iter().map(|comment| (comment.doc, comment.text)).collect())
}

/// Checks the properties of the formatter for one text; whether it was formatted.
fn check(text: &str) -> Result<bool, TestCaseError> {
    let once = match format_source(&source(text)) {
        Ok(once) => once,
        Err(FormatError::SyntaxErrors(found)) => {
            prop_assert!(!found.is_empty());
            return Ok(false);
        }
        Err(FormatError::Changed(reason)) => return Err(TestCaseError::fail(format!("{reason}:\n{text}"))),
    };
    prop_assert_eq!(content(text), content(&once), "{}\n---\n{}", text, once);
    let twice = format_source(&source(&once));
    prop_assert!(matches!(&twice, Ok(twice) if *twice == once), "{}\n---\n{}\n---\n{:?}", text, once, twice);
    prop_assert!(once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"), "{}", once);
    Ok(true)
}

#[test]
fn each_input_matches_its_snapshot() {
    let inputs = files(&["tests/format"]);
    assert!(inputs.len() >= 8);
    for path in inputs {
        let text = fs::read_to_string(&path).unwrap();
        assert!(check(&text).unwrap(), "{} has syntax errors", path.display());
        snapshot("format", &path.file_name().unwrap().to_string_lossy(), &formatted(&text));
    }
}

#[test]
fn formatted_lines_have_no_trailing_space() {
    for path in files(&["tests/format", "tests/check", "policies", "examples"]) {
        let Ok(text) = format_source(&source(&fs::read_to_string(&path).unwrap())) else { continue };
        let ends = |line: &str| line.ends_with([' ', '\t', '\r']);
        assert!(!text.lines().any(ends), "{}", path.display());
    }
}

#[test]
fn the_policies_and_examples_are_formatted() {
    for path in files(&["policies", "examples"]) {
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(formatted(&text), text, "run `trimtab fmt policies examples`: {}", path.display());
    }
}

/// The `trim` blocks of a document that are whole files.
fn blocks(text: &str) -> Vec<String> {
    let fenced = text.split("```trim\n").skip(1).filter_map(|rest| rest.split("```").next());
    fenced.map(str::to_owned).filter(|block| syntax::parse(&source(block)).1.is_empty()).collect()
}

#[test]
fn the_policies_in_the_documents_are_formatted() {
    let mut count = 0;
    for path in ["README.md", "docs/language.md"] {
        for block in blocks(&fs::read_to_string(path).unwrap()) {
            assert_eq!(formatted(&block), block, "{path}");
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn a_file_with_syntax_errors_is_not_formatted() {
    for path in files(&["tests/check"]) {
        let text = fs::read_to_string(&path).unwrap();
        let found = syntax::parse(&source(&text)).1;
        match format_source(&source(&text)) {
            Ok(_) => assert!(found.is_empty(), "{}", path.display()),
            Err(FormatError::SyntaxErrors(errors)) => assert_eq!(errors.len(), found.len(), "{}", path.display()),
            Err(FormatError::Changed(reason)) => panic!("{}: {reason}", path.display()),
        }
    }
}

/// The text of a file of the project.
fn sample() -> impl Strategy<Value = String> {
    let all = files(&["tests/format", "tests/check", "policies", "examples"]);
    prop::sample::select(all).prop_map(|path: PathBuf| fs::read_to_string(Path::new(&path)).unwrap())
}

/// Replacements for white space.
fn gap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "  ",
        "\n",
        "\n\n\n",
        "\r\n",
        "\t",
        " # a\n",
        "\n# b\n",
        "\n\n#: c\n\n",
        "#d\n # e\n",
        "\n#\n",
        " (",
        ") ",
        ", ",
    ])
}

/// A text with some of its white space replaced.
fn changed(text: &str, changes: &[(prop::sample::Index, &str)]) -> String {
    let mut text = text.to_owned();
    for (at, gap) in changes {
        let spaces: Vec<usize> = text.match_indices([' ', '\n']).map(|(at, _)| at).collect();
        if !spaces.is_empty() {
            let at = *at.get(&spaces);
            text.replace_range(at..=at, gap);
        }
    }
    text
}

proptest! {
    #![proptest_config(generated::cases(150))]

    #[test]
    fn generated_policies_keep_their_content(text in generated::policy()) {
        prop_assert!(check(&text)?);
    }

    #[test]
    fn files_with_other_white_space_and_comments_keep_their_content(
        text in sample(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), gap()), 1..6),
    ) {
        check(&changed(&text, &changes))?;
    }

    #[test]
    fn any_text_is_formatted_without_panics(text in any::<String>()) {
        check(&text)?;
    }
}
